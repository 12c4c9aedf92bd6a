package all_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A pass over unchanged objects only reads. It needs the same number of
// requests for many machines as for few.
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

// If a Neutron accepts no tags in a create request, there is still only one request for each
// created object, and one for each changed object.
func TestCloudOneWriteForEachObject(t *testing.T) {
	const one = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: %s\nmetadata: {name: many-%d}\nspec: {resource: {description: written, %s}}\n---\n"
	g, number, text := kindtest.NewTarget(t, all.Kinds).MarksInDescriptions(), 10, ""
	if g.Simulator == nil && !testing.Short() {
		number = 50
	}
	for i := range number {
		text += fmt.Sprintf(one, "Network", i, "") +
			fmt.Sprintf(one, "Subnet", i, fmt.Sprintf("networkRef: many-%d, ipVersion: 4, cidr: 10.55.%d.0/24", i, i)) +
			fmt.Sprintf(one, "Port", i, fmt.Sprintf("networkRef: many-%d, addresses: [{subnetRef: many-%d}]", i, i))
	}
	g.Only(text)
	changed := strings.ReplaceAll(text, "description: written, networkRef", "description: changed, networkRef")
	for _, tt := range []struct {
		text   string
		writes int
	}{{text, 3 * number}, {changed, 2 * number}} {
		var count kindtest.Counter
		pass := g.SyncThrough(tt.text, count.Wrap)
		t.Logf("%s: %d objects, %d writes and %d reads, %d rounds, %s", pass.Outcome(), pass.Last.Owned, count.Writes.Load(), count.Reads.Load(), pass.Rounds, pass.Took)
		if pass.Outcome() != plan.InSync || count.Writes.Load() != int64(tt.writes) {
			t.Errorf("%s after %d writes, want %d: %v", pass.Outcome(), count.Writes.Load(), tt.writes, pass.Failures)
		}
	}
}
