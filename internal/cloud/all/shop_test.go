package all_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// This example has groups that name each other, disks, further interfaces, and a load balancer with
// an address. It is applied unchanged, and a second pass writes nothing. When the manifests are
// removed, the objects with a declaration to stay are not deleted.
func TestShopIsMadeAsItStands(t *testing.T) {
	g, text := kindtest.NewTarget(t, all.Kinds), example(t, "shop")
	g.Only(text)
	g.MustSync(text)
	var count kindtest.Counter
	if pass := g.SyncThrough(text, count.Wrap); len(pass.Results) > 0 || count.Writes.Load() > 0 || pass.Outcome() != plan.InSync {
		t.Errorf("the second pass wrote %d times: %v", count.Writes.Load(), pass.Results)
	}
	if pass := g.MustSync(""); len(pass.Last.Steps) != 1 || pass.Last.Steps[0].Action != plan.Keep {
		t.Errorf("left are %v, want the data of the database only", pass.Last.Steps)
	}
}
