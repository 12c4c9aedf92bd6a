package lease

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func some(kind string) *rapid.Generator[[]string] {
	return rapid.SliceOfNDistinct(rapid.StringMatching(kind+`-[a-z0-9]{1,12}`), 1, 30, rapid.ID[string])
}

// TestPreferredMovesNoMoreThanItMust adds and removes an agent. A new agent only takes stacks, and only the stacks of the removed agent get
// another one. No other stack moves. The order of the list does not matter.
func TestPreferredMovesNoMoreThanItMust(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents, stacks := some("agent").Draw(t, "agents"), some("stack").Draw(t, "stacks")
		gone := rapid.SampledFrom(agents).Draw(t, "gone")
		left := slices.DeleteFunc(slices.Clone(agents), func(a string) bool { return a == gone })
		turned := slices.Clone(agents)
		slices.Reverse(turned)
		for _, stack := range stacks {
			before, after := Preferred(agents, stack), Preferred(left, stack)
			if !slices.Contains(agents, before) || Preferred(turned, stack) != before {
				t.Fatalf("%s: %q of %v", stack, before, agents)
			}
			if before != gone && after != before {
				t.Fatalf("%s moved from %s to %s when %s went", stack, before, after, gone)
			}
		}
	})
	if name := Preferred(nil, "x"); name != "" {
		t.Errorf("without agents: %q", name)
	}
}

// TestPreferredIsBalanced checks that all agents have about the same number of stacks: within four standard deviations.
func TestPreferredIsBalanced(t *testing.T) {
	const stacks = 6000
	for n := 2; n <= 6; n++ {
		var agents []string
		for i := range n {
			agents = append(agents, fmt.Sprintf("agent-%d", i))
		}
		count := map[string]int{}
		for i := range stacks {
			count[Preferred(agents, fmt.Sprintf("stack-%d", i))]++
		}
		mean := float64(stacks) / float64(n)
		for _, a := range agents {
			if off := math.Abs(float64(count[a]) - mean); off > 4*math.Sqrt(mean) {
				t.Errorf("%d agents: %s has %d stacks, the mean is %.0f", n, a, count[a], mean)
			}
		}
	}
}
