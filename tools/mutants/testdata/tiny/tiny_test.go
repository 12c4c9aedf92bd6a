package tiny

import "testing"

func TestSum(t *testing.T) {
	n := 0
	if got := Sum([]int{-2, 2, 8, 5}, func() { n++ }); got != 7 || n != 2 {
		t.Errorf("%d of %d", got, n)
	}
}

func TestWord(t *testing.T) {
	for n, want := range map[int]string{0: "nothing", 3: "odd", 4: "even", 12: "much"} {
		if got := Word(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
