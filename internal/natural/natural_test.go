package natural_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/natural"
)

func TestOrder(t *testing.T) {
	want := []string{"", "2", "10", "db-1", "web", "web-0", "web-01", "web-1", "web-2", "web-2-eth0", "web-2-eth10", "web-10", "web-x", "web.9"}
	got := slices.Clone(want)
	slices.Reverse(got)
	if natural.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// Compare defines an order: it is antisymmetric and transitive, and only equal texts are equal.
func TestOrderIsOne(t *testing.T) {
	text := rapid.StringMatching(`[a01-]{0,5}`)
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := text.Draw(rt, "a"), text.Draw(rt, "b"), text.Draw(rt, "c")
		if ab := natural.Compare(a, b); ab != -natural.Compare(b, a) || (ab == 0) != (a == b) {
			rt.Fatalf("%q and %q: %d", a, b, ab)
		}
		if natural.Compare(a, b) < 0 && natural.Compare(b, c) < 0 && natural.Compare(a, c) >= 0 {
			rt.Fatalf("%q, %q, %q", a, b, c)
		}
	})
}
