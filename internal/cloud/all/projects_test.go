package all_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const team = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Project
metadata: {name: team}
spec: {resource: {name: NAME-team}}
`

const site = team + `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: site}
spec: {resource: {projectRef: team}}
`

// Objects in another project obey the laws, for every kind whose objects can be there.
func TestLawsInAnotherProject(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	type one struct{ needs, spec, edited, old, new string }
	for name, c := range map[string]one{
		"Network":       {team, "mtu: 1400", "mtu", "mtu: 1400", "mtu: 1300"},
		"Subnet":        {site, "networkRef: site\n    ipVersion: 4\n    cidr: 192.168.78.0/24\n    enableDHCP: true", "enableDHCP", "enableDHCP: true", "enableDHCP: false"},
		"Router":        {team, "adminStateUp: true", "adminStateUp", "adminStateUp: true", "adminStateUp: false"},
		"Port":          {site, "networkRef: site\n    adminStateUp: true", "adminStateUp", "adminStateUp: true", "adminStateUp: false"},
		"SecurityGroup": {team, "rules: [{ethertype: IPv4}]", "rules", "IPv4", "IPv6"},
		"SubnetPool":    {team, "prefixes: [10.90.0.0/16]", "prefixes", "[10.90.0.0/16]", "[10.90.0.0/15]"},
		"QoSPolicy":     {team, "dscpMark: 26", "dscpMark", "26", "28"},
		"AddressScope":  {team, "ipVersion: 4", "", "", ""},
		"AddressGroup":  {team, "addresses: [10.90.0.0/16]", "addresses", "10.90.0.0/16", "10.91.0.0/16"},
		"FloatingIP": {team + `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public}}}
`, "floatingNetworkRef: public\n    description: shop", "description", "description: shop", "description: shops"},
		"Trunk": {site + `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: parent}
spec: {resource: {networkRef: site, projectRef: team}}
`, "portRef: parent\n    adminStateUp: true", "adminStateUp", "adminStateUp: true", "adminStateUp: false"},
	} {
		t.Run(name, func(t *testing.T) {
			g := kindtest.NewTarget(t, all.Kinds)
			info := kindOf(t, name).Info
			s := kindtest.Suite{
				Kinds: all.Kinds, Partial: true, Administrator: true, Needs: named(g, c.needs),
				Object: "\napiVersion: " + info.Group + "/" + info.Version + "\nkind: " + name + "\nmetadata: {name: front}\nspec:\n  resource:\n    projectRef: team\n    " + c.spec + "\n",
				Key:    manifest.Key{Group: info.Group, Kind: name, Namespace: "default", Name: "front"},
			}
			if c.edited != "" {
				s.Edits = []kindtest.Edit{{Field: "spec.resource." + c.edited, Old: c.old, New: c.new}}
			}
			s.Run(t)
		})
	}
}

// named makes names unique to the target: those of objects whose name can exist only once in the
// whole cloud.
func named(g *kindtest.Target, manifests string) string {
	return strings.ReplaceAll(manifests, "NAME", g.Stack)
}

// neighbour returns an administrator's stack with a network in another project.
func neighbour(t *testing.T) (g *kindtest.Target, manifests, project, network string) {
	t.Helper()
	g = kindtest.NewTarget(t, all.Kinds).Beside("admin")
	manifests = named(g, site)
	g.Only(manifests)
	for _, s := range g.MustSync(manifests).Last.Steps {
		if s.Key.Kind == "Project" {
			project = s.ID()
		} else {
			network = s.ID()
		}
	}
	return g, manifests, project, network
}

// networkIn makes a network in a project by hand, and returns its ID.
func networkIn(t *testing.T, g *kindtest.Target, project string, attributes map[string]any) string {
	t.Helper()
	attributes["project_id"] = project
	var made struct{ Network struct{ ID string } }
	c := g.Client(nil)
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "networks", Body: map[string]any{"network": attributes}, Into: &made}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "networks/" + made.Network.ID})
	})
	return made.Network.ID
}

// forged returns a description with the mark of an object of the stack.
func forged(g *kindtest.Target, name string) string {
	key := manifest.Key{Group: "openstack.k-orc.cloud", Kind: "Network", Namespace: "default", Name: name}
	text, _ := mark.Description(kind.Mark{Owner: ownertext.Of(g.Stack, key), Applied: "abcdefghijkl"}, "")
	return text
}

// An object in another project is deleted before that project, even if one commit removes both.
func TestGoesBeforeItsProject(t *testing.T) {
	g, _, _, network := neighbour(t)
	g.MustSync("")
	err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodGet, Path: "networks/" + network})
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("the network is left: %v", err)
	}
}

// A project's owner can write any mark in that project. An object there counts as the stack's only
// if the manifest that the mark names places its object in that project. The mark causes no deletion
// and no delay.
func TestAttackMarksInOtherProjects(t *testing.T) {
	g, manifests, project, _ := neighbour(t)
	stranger := strings.Repeat("ab", 16) // Neutron does not check that a project exists
	kept := []string{
		networkIn(t, g, stranger, map[string]any{"name": "gone", "description": forged(g, "gone")}),
		networkIn(t, g, stranger, map[string]any{"name": "site", "description": forged(g, "site")}),
	}
	tagged := networkIn(t, g, project, map[string]any{"name": "tagged"})
	tags := map[string]any{"tags": mark.Tags(kind.Mark{Owner: ownertext.Of(g.Stack, manifest.Key{Group: "openstack.k-orc.cloud", Kind: "Network", Namespace: "default", Name: "tagged"}), Applied: "abcdefghijkl"}, nil)}
	if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "networks/" + tagged + "/tags", Body: tags}); err != nil {
		t.Fatal(err)
	}
	p := g.Plan(manifests)
	if !p.InSync() || p.Owned != 2 {
		t.Errorf("%d owned: %v", p.Owned, p.Steps)
	}
	home := named(g, team) + strings.NewReplacer("name: site", "name: gone", ", projectRef: team", "", "projectRef: team", "").Replace(named(g, site)[len(named(g, team)):])
	for _, s := range g.Plan(manifests + home[len(named(g, team)):]).Steps {
		if s.Key.Name == "gone" && s.Action != plan.Create && !s.Surplus {
			t.Errorf("%s is %s: %s", s.Key, s.Action, s.FullCause())
		}
	}
	g.MustSync("")
	for _, id := range append(kept, tagged) {
		if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodGet, Path: "networks/" + id}); err != nil {
			t.Errorf("taken away: %v", err)
		}
	}
}

// A user with push access can create objects in a project that the stack only imports, but cannot
// adopt existing ones.
func TestAttackAdoptedFromAnImportedProject(t *testing.T) {
	g, manifests, project, _ := neighbour(t)
	theirs := networkIn(t, g, project, map[string]any{"name": "theirs"})
	imported := strings.NewReplacer("{resource: {name: NAME-team}}", "{managementPolicy: unmanaged, import: {id: "+project+"}}").Replace(team)
	adopts := `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: theirs}
spec: {import: {id: ` + theirs + `}, resource: {projectRef: team}}
`
	other := g.Beside("")
	for _, s := range other.Plan(imported + adopts).Steps {
		if s.Key.Name == "theirs" && (s.Action != plan.Refuse || !s.Causes.Has(cause.UnadoptableID)) {
			t.Errorf("%s: %s", s.Action, s.FullCause())
		}
	}
	made := imported + strings.Replace(adopts, "import: {id: "+theirs+"}, ", "", 1)
	other.Only(made)
	if pass := other.Sync(made); pass.Outcome() == plan.InSync {
		t.Error("a second network of that name was made, and the first is nobody's")
	}
	other.MustSync(strings.ReplaceAll(made, "{name: theirs}", "{name: ours}"))
	other.MustSync(imported)
	g.MustSync(manifests + adopts) // the stack that made the project may adopt there
}

// Strangers write many marks. A plan reports them in a few steps, and they do not raise the limits
// of the brake.
func TestAttackManyMarksInOtherProjects(t *testing.T) {
	g, manifests, _, _ := neighbour(t)
	for range 25 {
		networkIn(t, g, strings.Repeat("cd", 16), map[string]any{"description": forged(g, "n"+strings.ToLower(g.Stack))})
	}
	p := g.Plan(manifests)
	if !p.InSync() || p.Owned != 2 || len(p.Steps) > 2+20 {
		t.Errorf("%d owned, %d steps", p.Owned, len(p.Steps))
	}
}

// If a manifest no longer names a project, its object is created in the stack's own project. The
// plan reports the old object in the project that the manifest named before. The old object is
// deleted together with the manifest.
func TestNamesAnotherProject(t *testing.T) {
	g, manifests, project, network := neighbour(t)
	home := strings.Replace(manifests, "projectRef: team", "", 1)
	told := false
	for _, s := range g.MustSync(home).Last.Steps {
		told = told || s.Action == plan.Keep && s.Causes.Has(cause.ElsewhereByMark) && s.Causes.Has(cause.OtherProject) && strings.Contains(s.FullCause(), network+" ") && strings.Contains(s.FullCause(), "project "+project)
	}
	if !told {
		t.Errorf("network %s is left without a word", network)
	}
	g.MustSync(named(g, team))
}

// An object in another project is not created if its mark could not be stored there.
func TestNoPlaceForAMarkInAnotherProject(t *testing.T) {
	g, _, _, _ := neighbour(t)
	for what, why := range map[string]string{
		"spec: {resource: {projectRef: team, description: " + strings.Repeat("x", 220) + "}}": "has no room for the mark",
		"spec: {resource: {projectRef: team, sharedWith: []}}":                                "remove projectRef or this",
	} {
		object := "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: other}\n" + what + "\n"
		for _, s := range g.Plan(named(g, site) + object).Steps {
			if s.Key.Name == "other" && (s.Action != plan.Refuse || !strings.Contains(s.FullCause(), why)) {
				t.Errorf("%s: %s %s", what, s.Action, s.FullCause())
			}
		}
	}
}
