package all_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// Two project IDs. Neutron does not check that a project exists.
const (
	guest   = "0123456789abcdef0123456789abcdef"
	another = "fedcba9876543210fedcba9876543210"
)

// An object that is shared with single projects obeys the laws, for every kind that can be shared
// so.
func TestLawsOfSharing(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	for name, spec := range map[string]string{
		"Network": "mtu: 1400", "SubnetPool": "prefixes: [10.90.0.0/16]", "SecurityGroup": "rules: [{ethertype: IPv4}]",
		"QoSPolicy": "dscpMark: 26", "AddressScope": "ipVersion: 4", "AddressGroup": "addresses: [10.90.0.0/16]",
	} {
		t.Run(name, func(t *testing.T) {
			info := kindOf(t, name).Info
			object := "\napiVersion: " + info.Group + "/" + info.Version + "\nkind: " + name + "\nmetadata: {name: front}\nspec:\n  resource:\n    " + spec +
				"\n    sharedWith: [{projectID: " + guest + "}]\n"
			kindtest.Suite{
				Kinds: all.Kinds, Object: object, Partial: true, Administrator: name == "QoSPolicy",
				Key: manifest.Key{Group: info.Group, Kind: name, Namespace: "default", Name: "front"},
				Edits: []kindtest.Edit{
					{Field: "spec.resource.sharedWith", Old: guest + "}", New: guest + "}, {projectID: " + another + "}"},
					{Field: "spec.resource.sharedWith", Old: guest, New: another},
					{Field: "spec.resource.sharedWith", Old: "[{projectID: " + guest + "}]", New: "[]"},
				},
			}.Run(t)
		})
	}
}

const sharedNetwork = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {name: NAME, tags: [blue], sharedWith: [{projectID: GUEST}]}}
`

// hosts returns stacks of two projects. It also returns the manifests of the first stack, and the
// ID of the network that the first stack shares with the second.
func hosts(t *testing.T) (host, guest *kindtest.Target, manifests, id string) {
	t.Helper()
	host = kindtest.NewTarget(t, all.Kinds)
	guest = host.Beside("demo2")
	manifests = strings.NewReplacer("GUEST", guest.Client(nil).ProjectID, "NAME", host.Stack).Replace(sharedNetwork)
	host.Only(manifests)
	pass := host.MustSync(manifests)
	return host, guest, manifests, pass.Last.Steps[0].ID()
}

// A guest project finds the shared network and uses it. The host can stop sharing only after the
// guest has stopped using it.
func TestSharedWithAGuest(t *testing.T) {
	host, guest, manifests, _ := hosts(t)
	uses := `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: theirs}
spec: {managementPolicy: unmanaged, import: {filter: {name: ` + host.Stack + `}}}
`
	const port = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: here}
spec: {resource: {networkRef: theirs, addresses: [{}]}}
`
	const subnet = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: front}
spec: {resource: {networkRef: front, ipVersion: 4, cidr: 192.168.77.0/24}}
`
	host.Only(manifests + subnet)
	host.MustSync(manifests + subnet)
	guest.Only(uses + port)
	guest.MustSync(uses + port)
	none := manifests[:strings.Index(manifests, "[{projectID")] + "[]}}\n" + subnet
	agent := host.Engine(host.Client(nil))
	agent.Timing.BusyWait = 100 * time.Millisecond
	pass := agent.Sync(context.WithoutCancel(t.Context()), engine.Revision{Want: host.Resolve(none)})
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "project "+guest.Client(nil).ProjectID) {
		t.Errorf("failures: %v; want that the guest still uses it", pass.Failures)
	}
	guest.MustSync(uses)
	host.MustSync(none)
	if pass := guest.Sync(uses); pass.Outcome() == plan.InSync {
		t.Error("the guest still finds the network")
	}
}

// If the manifest does not mention sharing, a share that people add stays. If the manifest lists
// other projects, the share is removed.
func TestSharedByHand(t *testing.T) {
	host, _, manifests, id := hosts(t)
	share := cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "rbac-policies", Body: map[string]any{"rbac_policy": map[string]any{
		"object_type": "network", "object_id": id, "action": "access_as_shared", "target_tenant": another}}}
	if err := host.Client(nil).Do(t.Context(), share); err != nil {
		t.Fatal(err)
	}
	at := strings.Index(manifests, ", sharedWith")
	if step := host.Plan(manifests[:at] + "}}\n").Steps[0]; kind.Has(step.Changes, "spec.resource.sharedWith") {
		t.Errorf("changes %v, want that sharing is left alone", step.Changes)
	}
	if step := host.Plan(manifests).Steps[0]; !kind.Has(step.Changes, "spec.resource.sharedWith") || !step.Drift {
		t.Errorf("changes %v, want that somebody shared it", step.Changes)
	}
	host.MustSync(manifests)
	if shown := host.Shown(manifests, manifest.Key{Group: define.OrcGroup, Kind: "Network", Name: "front"}); len(shown["sharedWith"].([]any)) != 1 {
		t.Errorf("shown: %v", shown["sharedWith"])
	}
}

func writeTags(t *testing.T, c *cloud.Client, id string, tags ...string) error {
	t.Helper()
	return c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "networks/" + id + "/tags", Body: map[string]any{"tags": tags}})
}

// A guest project can write the tags of a network that is shared with it, because OpenStack Zed
// does not check who writes them. Even so, the guest can neither remove the mark nor make the stack
// delete the network.
func TestAttackGuestWritesTheTags(t *testing.T) {
	host, guest, manifests, id := hosts(t)
	c := guest.Client(nil)
	if err := writeTags(t, c, id); err != nil {
		t.Skip("this cloud asks who may write tags: ", err)
	}
	step := host.Plan(manifests).Steps[0]
	if step.Action != plan.Update || step.ID() != id || !kind.Has(step.Changes, "spec.resource.tags") {
		t.Errorf("without tags: %s %s: %s %v", step.Action, step.ID(), step.FullCause(), step.Changes)
	}
	host.MustSync(manifests)
	gone := ownertext.Of(host.Stack, manifest.Key{Group: define.OrcGroup, Kind: "Network", Namespace: "default", Name: "gone"})
	if err := writeTags(t, c, id, gone, "stackreeve-applied:0123456789ab"); err != nil {
		t.Fatal(err)
	}
	for _, step := range host.Plan(manifests).Steps {
		if step.Action == plan.Delete || step.Action == plan.Recreate || step.Action == plan.Create {
			t.Errorf("with a forged mark: %s %s: %s", step.Action, step.Key, step.FullCause())
		}
	}
	if err := writeTags(t, c, id, "blue"); err != nil {
		t.Fatal(err)
	}
	host.MustSync(manifests)
}

// Another project shares a network with this one. The network does not belong to this stack, even
// if it has a mark of this stack.
func TestAttackSharedWithAForgedMark(t *testing.T) {
	host, guest, manifests, id := hosts(t)
	owner := ownertext.Of(guest.Stack, manifest.Key{Group: define.OrcGroup, Kind: "Network", Namespace: "default", Name: "front"})
	if err := writeTags(t, host.Client(nil), id, owner, "stackreeve-applied:0123456789ab"); err != nil {
		t.Fatal(err)
	}
	guest.Only(manifests)
	if p := guest.Plan(""); p.Owned != 0 || len(p.Steps) != 0 {
		t.Errorf("the guest owns %d objects and has %d steps", p.Owned, len(p.Steps))
	}
	if err := writeTags(t, host.Client(nil), id, "blue"); err != nil {
		t.Fatal(err)
	}
	host.MustSync(manifests)
}

// The manifest names each project either by projectRef or by projectID.
func TestSharedWithIsJudged(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Refuses(map[string]string{
		"{}":                 "spec.resource.sharedWith[0]",
		"{projectID: \"*\"}": "spec.resource.sharedWith[0].projectID",
		"{projectRef: web, projectID: " + guest + "}": "spec.resource.sharedWith[0]",
	}, func(share string) string {
		return strings.NewReplacer("{projectID: GUEST}", share, "NAME", "front").Replace(sharedNetwork)
	})
}
