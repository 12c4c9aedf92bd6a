package all_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A machine's manifest may contain the name of an object that has no manifest in the repository.
// Such a name is looked up in the cloud. If the object's manifest was deleted, the lookup must not
// find the object. Otherwise it would no longer be managed, and nobody would notice.
func TestAManifestThatIsGoneIsNotTakenOver(t *testing.T) {
	const group = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec: {resource: {%s}}\n"
	for kind, tt := range map[string]struct{ needs, resource, uses string }{
		"SecurityGroup": {"", "description: front", "network: private, securityGroups: [app]"},
		"ServerGroup":   {"", "policy: soft-anti-affinity", "network: private, serverGroup: app"},
		"KeyPair":       {"", "publicKey: " + kindtestKey, "network: private, keyPair: app"},
		"Subnet":        {fmt.Sprintf(group, "Network", "net", "") + "---\n", "networkRef: net, ipVersion: 4, cidr: 10.9.0.0/24", "network: net, subnet: app"},
	} {
		t.Run(kind, func(t *testing.T) {
			g := kindtest.NewTarget(t, all.Kinds)
			used := fmt.Sprintf(group, kind, "app", tt.resource) + "---\n"
			machine := "apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachine\nmetadata: {name: web}\nspec: {image: cirros, flavor: m1.nano, " + tt.uses + "}\n"
			g.Only(tt.needs + used + machine)
			g.MustSync(tt.needs + used + machine)
			before := g.Plan(tt.needs + used + machine).Owned
			pass := g.Sync(tt.needs + machine)
			if len(pass.Results) > 0 || pass.Outcome() != plan.Broken || pass.Last.Owned != before {
				t.Errorf("%s, %d steps, %d of %d owned", pass.Outcome(), len(pass.Results), pass.Last.Owned, before)
			}
			if !slices.ContainsFunc(pass.Last.Steps, func(s plan.Step) bool {
				return s.Action == plan.Refuse && s.Key.Kind == kind && s.Causes.Has(cause.LeftBehind)
			}) {
				t.Errorf("nothing reports it: %v", pass.Last.Steps)
			}
			g.MustSync(tt.needs + used + machine)
		})
	}
}

const kindtestKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl a@b"
