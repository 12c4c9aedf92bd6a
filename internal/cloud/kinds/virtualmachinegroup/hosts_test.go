package virtualmachinegroup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// If each machine needs its own host, there may be fewer hosts than machines. Before anything is
// created, the plan warns of that, if Nova shows the number of hosts to this user.
func TestMoreMachinesThanHosts(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := kindtest.NewTarget(t, all.Kinds)
	admin := g.Beside("admin")
	hard := func(edits ...string) string {
		return strings.NewReplacer(append(edits, "haPolicy: soft", "haPolicy: hard")...).Replace(object)
	}
	for _, c := range []struct {
		name, manifest string
		warning        cause.Code
		numbers        []any // the numbers of members, of hosts that they need, and of hosts that exist
		on             *kindtest.Target
	}{
		{"few", hard(), "", nil, admin},
		{"many", hard("replicas: 2", "replicas: 200"), cause.TooFewHosts, []any{200, 200, 3}, admin},
		{"in one zone", hard("replicas: 2", "replicas: 3", "    image", "    zone: az-a\n    image"), cause.TooFewHostsInZone, []any{3, 3, 2}, admin},
		{"softly", strings.Replace(object, "replicas: 2", "replicas: 200", 1), "", nil, admin},
		{"who may not ask", hard("replicas: 2", "replicas: 200"), "", nil, g},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := c.on.Client(nil)
			e := c.on.Engine(client)
			e.Hosts = client.Hosts
			_, found := e.PreviewOf(t.Context(), engine.Revision{Commit: "c", Want: c.on.Resolve(c.manifest)})
			if c.warning == "" && len(found.Warnings) > 0 || c.warning != "" && (!found.Warnings.Is(c.warning) || !slices.Equal(found.Warnings[0].Args[1:], c.numbers)) {
				t.Errorf("%q, want %q with %v", found.Warnings, c.warning, c.numbers)
			}
			if len(found.Notes) > 0 {
				t.Errorf("notes: %v", found.Notes)
			}
		})
	}
}
