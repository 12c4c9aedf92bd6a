package all_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// A pass over what has not changed only reads, and as often for many machines
// as for few.
func TestCloudUnchangedCostsTheSameForAnyNumber(t *testing.T) {
	story, cost := verda(t), map[int]int64{}
	for _, replicas := range []int{2, 20} {
		g := kindtest.NewTarget(t, all.Kinds)
		if g.Simulator == nil && replicas > 2 {
			t.Log("twenty machines are too many for a shared cloud")
			return
		}
		text := strings.Replace(story, "replicas: 2", fmt.Sprint("replicas: ", replicas), 1)
		if made := g.MustSync(text); made.Last.Summary().Keep < 2*replicas {
			t.Fatalf("%d replicas: only %v", replicas, made.Last.Summary())
		}
		var count kindtest.Counter
		if pass := g.SyncThrough(text, count.Wrap); len(pass.Results) > 0 || !pass.Last.InSync() {
			t.Errorf("%d replicas: the second pass did %v", replicas, pass.Results)
		}
		if n := count.Writes.Load(); n > 0 {
			t.Errorf("%d replicas: %d writing requests, want none", replicas, n)
		}
		cost[replicas] = count.Reads.Load()
	}
	if cost[2] != cost[20] || cost[2] == 0 {
		t.Errorf("requests by replicas: %v; want the same", cost)
	}
}
