package resolve_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Two nodes are in one component if each leads to the other. The number of a component is higher than the numbers of the components that it
// leads to.
func TestComponents(t *testing.T) {
	for name, c := range map[string]struct {
		next [][]int
		in   []int // the first node of the component of each node
	}{
		"nothing":                  {nil, nil},
		"alone":                    {[][]int{{}, {}}, []int{0, 1}},
		"a chain":                  {[][]int{{1}, {2}, {}}, []int{0, 1, 2}},
		"a chain, backwards":       {[][]int{{}, {0}, {1}}, []int{0, 1, 2}},
		"a circle":                 {[][]int{{1}, {2}, {0}}, []int{0, 0, 0}},
		"a circle before a chain":  {[][]int{{1}, {0, 2}, {3}, {}}, []int{0, 0, 2, 3}},
		"two circles":              {[][]int{{1}, {0, 3}, {3}, {2}}, []int{0, 0, 2, 2}},
		"a fork that meets":        {[][]int{{1, 2}, {3}, {3}, {}}, []int{0, 1, 2, 3}},
		"a fork into a circle":     {[][]int{{1, 2}, {3}, {3}, {0}}, []int{0, 0, 0, 0}},
		"one that leads to itself": {[][]int{{0}, {0}}, []int{0, 1}},
	} {
		got := resolve.Components(len(c.next), func(i int) []int { return c.next[i] })
		for i := range got {
			for j := range got {
				if (got[i] == got[j]) != (c.in[i] == c.in[j]) {
					t.Errorf("%s: %d and %d are in %d and %d", name, i, j, got[i], got[j])
				}
			}
			for _, to := range c.next[i] {
				if got[to] > got[i] {
					t.Errorf("%s: %d leads to %d: %v", name, i, to, got)
				}
			}
		}
	}
}
