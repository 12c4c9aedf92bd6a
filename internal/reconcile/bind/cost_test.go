package bind

import (
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// If stacks share a list, the memory that a stack takes to find its objects does not depend on how many objects other stacks have in the
// project.
func TestCostDependsOnTheStacksOwnObjects(t *testing.T) {
	cost := func(others int) float64 {
		items := make([]*Live, 0, others+4)
		for i := range others {
			other := ownertext.Of(fmt.Sprint("other", i/4), manifest.Key{Kind: "Thing", Name: "a"})
			items = append(items, &Live{ID: fmt.Sprint("other", i), Name: "b", InOwnProject: true, Uses: []string{"net"}, Mark: &kind.Mark{Owner: other, Applied: "x"}})
		}
		for i := range 4 {
			items = append(items, &Live{ID: fmt.Sprint(i), Name: fmt.Sprint("own", i), InOwnProject: true, Mark: &kind.Mark{Owner: owner, Applied: "x"}})
		}
		have := kind.Snapshot{"Thing": {Items: items, Index: kind.IndexOf(items)}}
		plan := func() {
			c := NewCloud(have, stack)
			x := c.Collection("Thing")
			if claims := c.Claimed("Thing", owner); len(claims.Sole) != 4 || x.Find("other0", "") == nil || len(x.WithName("own1")) != 1 || c.usedByAnybody(items[others]) {
				t.Fatalf("%d objects", len(claims.Sole))
			}
		}
		for range 20 { // other stacks that use the same list
			plan()
		}
		return testing.AllocsPerRun(10, plan)
	}
	if few, many := cost(4), cost(10_000); many > few+10 { // a few are the runtime's, at random
		t.Errorf("%.0f allocations beside 10,000 objects of other stacks, and %.0f beside four", many, few)
	}
}
