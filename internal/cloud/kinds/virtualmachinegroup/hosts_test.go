package virtualmachinegroup_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// Machines may need a host each, and be more than the hosts. The plan says so before anything is
// created, if Nova tells these credentials the number of hosts.
func TestMoreMachinesThanHosts(t *testing.T) {
	testcost.Long(t)
	g := kindtest.NewTarget(t, all.Kinds)
	admin := g.Beside("admin")
	hard := func(edits ...string) string {
		return strings.NewReplacer(append(edits, "haPolicy: soft", "haPolicy: hard")...).Replace(object)
	}
	for _, c := range []struct {
		name, manifest, warning string
		on                      *kindtest.Target
	}{
		{"few", hard(), "", admin},
		{"many", hard("replicas: 2", "replicas: 200"), "ServerGroup/web keeps 200 members apart, which takes 200 hosts, but the cloud has only 3 available: the rest cannot be placed", admin},
		{"in one zone", hard("replicas: 2", "replicas: 3", "    image", "    zone: az-a\n    image"), "which takes 3 hosts, but its availability zone has only 2 available", admin},
		{"softly", strings.Replace(object, "replicas: 2", "replicas: 200", 1), "", admin},
		{"who may not ask", hard("replicas: 2", "replicas: 200"), "", g},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := c.on.Client(nil)
			e := c.on.Engine(client)
			e.Hosts = client.Hosts
			_, found := e.PlanOf(t.Context(), engine.Revision{Commit: "c", Want: c.on.Resolve(c.manifest)})
			if got := found.Warnings.String(); c.warning == "" && got != "" || !strings.Contains(got, c.warning) {
				t.Errorf("%q, want %q", got, c.warning)
			}
			if len(found.Notes) > 0 {
				t.Errorf("notes: %v", found.Notes)
			}
		})
	}
}
