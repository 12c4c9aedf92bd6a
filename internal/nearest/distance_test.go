package nearest

import (
	"math/rand/v2"
	"testing"
)

// far computes the distance without a limit.
func far(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j > 0:
				cost := 1
				if a[i-1] == b[j-1] {
					cost = 0
				}
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], d[i-2][j-2]+1)
				}
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = "abc"[r.IntN(3)]
		}
		return string(b)
	}
	for range 100_000 {
		a, b, most := word(), word(), r.IntN(8)
		want := far(a, b)
		if got := Distance(a, b, most); want <= most && got != want || want > most && got <= most {
			t.Fatalf("%q and %q are %d apart, got %d with at most %d", a, b, want, got, most)
		}
	}
}
