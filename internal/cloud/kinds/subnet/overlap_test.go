package subnet_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// tier is a network, a subnet that a router connects, and a port on the subnet.
const tier = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: edge}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: web}
spec: {resource: {networkRef: front, routerRef: edge, ipVersion: 4, cidr: 192.168.90.0/24}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: machine}
spec: {resource: {networkRef: front, addresses: [{subnetRef: web}]}}
`

// renamedTier is the tier with another name for its subnet.
var renamedTier = strings.NewReplacer("metadata: {name: web}", "metadata: {name: app}", "subnetRef: web", "subnetRef: app").Replace(tier)

// actions returns the steps of a plan by their object. Steps that keep an object are omitted.
func actions(p plan.Plan) map[string]plan.Step {
	steps := map[string]plan.Step{}
	for _, s := range p.Steps {
		if s.Action != plan.Keep {
			steps[s.Key.String()] = s
		}
	}
	return steps
}

func live(p plan.Plan) (keys []string) {
	for _, s := range p.Steps {
		if s.ID() != "" {
			keys = append(keys, s.Key.String()+" "+s.ID())
		}
	}
	slices.Sort(keys)
	return keys
}

// If a subnet's manifest gets another name without an annotation for that, the plan refuses it. Nothing that the
// subnet's machines need is deleted.
func TestARenamedSubnetCutsNobodyOff(t *testing.T) {
	testcost.Long(t)                                                                    // several passes run on the simulator
	otherwise := map[string]bool{"and one more asks": true, "of a taken gateway": true} // in these cases, the plan reports another reason first
	for name, change := range map[string]*strings.Replacer{
		"the same addresses": strings.NewReplacer(),
		"a part of them":     strings.NewReplacer("192.168.90.0/24", "192.168.90.128/25"),
		"more":               strings.NewReplacer("192.168.90.0/24", "192.168.88.0/22"),
		"the port, too":      strings.NewReplacer("name: machine", "name: computer"),
		"let go":             strings.NewReplacer(),
		"and one more asks":  strings.NewReplacer("metadata: {name: machine}", "metadata: {name: machine}", "{name: edge}\nspec: {resource: {}}\n", "{name: edge}\nspec: {resource: {}}\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: also}\nspec: {resource: {networkRef: front, ipVersion: 4, cidr: 192.168.90.0/26}}\n"),
		"of a taken gateway": strings.NewReplacer("cidr: 192.168.90.0/24", "cidr: 192.168.90.0/24, allocationPools: [{start: 192.168.90.1, end: 192.168.90.9}]"),
	} {
		t.Run(name, func(t *testing.T) {
			g, first := kindtest.NewTarget(t, all.Kinds), tier
			if name == "let go" {
				first = strings.Replace(tier, "metadata: {name: web}", `metadata: {name: web, annotations: {stackreeve.dev/on-delete: detach}}`, 1)
			}
			before := live(g.MustSync(first).Last)
			renamed := change.Replace(renamedTier)
			steps := actions(g.Plan(renamed))
			app := steps["Subnet/app"]
			if app.Action != plan.Refuse || !app.Error || !otherwise[name] && !strings.Contains(app.FullCause(), "stackreeve.dev/moved-from: Subnet/web") {
				t.Errorf("%s: %s", app.Action, app.FullCause())
			}
			for key, s := range steps {
				if s.Action.Destroys() && len(s.Awaits) == 0 || s.Action == plan.Detach {
					t.Errorf("%s %s: %s", s.Action, key, s.FullCause())
				}
			}
			pass := g.Sync(renamed)
			if len(pass.Results) > 0 {
				t.Errorf("was done: %v", pass.Results)
			}
			if after := live(g.Plan(first)); !slices.Equal(before, after) {
				t.Errorf("was\n%q\nis\n%q", before, after)
			}
			g.MustSync(tier)
		})
	}
}

// With the annotation that the plan proposes, the subnet and its router interface keep their IDs.
func TestARenamedSubnetThatSaysSo(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	ids := func(p plan.Plan) (list []string) {
		for _, s := range p.Steps {
			list = append(list, s.ID())
		}
		slices.Sort(list)
		return list
	}
	before := ids(g.MustSync(tier).Last)
	moved := strings.Replace(renamedTier, "metadata: {name: app}", "metadata: {name: app, annotations: {stackreeve.dev/moved-from: Subnet/web}}", 1)
	if after := ids(g.MustSync(moved).Last); !slices.Equal(before, after) {
		t.Errorf("was %q, is %q", before, after)
	}
}

// A new subnet is refused if its addresses overlap another subnet of its network, whoever made the other subnet.
func TestOverlaps(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	subnet := func(name, network, cidr string) string {
		return "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: " + name + "}\nspec: {resource: {networkRef: " + network + ", ipVersion: 4, cidr: " + cidr + "}}"
	}
	other := g.In(t)
	other.Stack += "-other"
	const imported = "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: shared}\nspec: {managementPolicy: unmanaged, import: {filter: {name: front}}}"
	g.MustSync(needs + subnet("one", "front", "10.7.0.0/24"))
	for name, c := range map[string]struct {
		stack     *kindtest.Target
		manifests string
		why       map[string]cause.Code // by name: the reason why the object is refused
	}{
		"the stack's own": {g, needs + subnet("one", "front", "10.7.0.0/24") + subnet("two", "front", "10.7.0.128/25"),
			map[string]cause.Code{"Subnet/two": cause.RivalOverlaps}},
		"two that are new": {g, needs + subnet("one", "front", "10.7.0.0/24") + subnet("two", "front", "10.8.0.0/16") + subnet("three", "front", "10.8.9.0/24"),
			map[string]cause.Code{"Subnet/two": cause.RivalOverlaps, "Subnet/three": cause.RivalOverlaps}},
		"of another network": {g, needs + subnet("one", "front", "10.7.0.0/24") + subnet("two", "back", "10.7.0.0/24"), nil},
		"beside each other":  {g, needs + subnet("one", "front", "10.7.0.0/24") + subnet("two", "front", "10.7.1.0/24"), nil},
		"another stack's":    {other, imported[5:] + subnet("two", "shared", "10.7.0.0/25"), map[string]cause.Code{"Subnet/two": cause.ClaimOverlaps}},
		"what makes way":     {g, needs + subnet("one", "front", "10.9.0.0/24") + subnet("two", "front", "10.7.0.0/24"), nil},
		"two exchanged with a new one": {g, needs + subnet("one", "front", "10.7.0.0/25") + subnet("two", "front", "10.7.0.0/24"),
			map[string]cause.Code{"Subnet/one": cause.RivalOverlaps, "Subnet/two": cause.RivalOverlaps}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range c.stack.In(t).Plan(c.manifests).Steps {
				why := c.why[s.Key.String()]
				if refused := s.Action == plan.Refuse; refused != (why != "") || refused && !s.Causes.Has(why) {
					t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
				}
			}
		})
	}
	makesWay := needs + subnet("one", "front", "10.9.0.0/24") + subnet("two", "front", "10.7.0.0/24")
	if two := actions(g.Plan(makesWay))["Subnet/two"]; !slices.Equal(two.Awaits, []manifest.Key{key("one")}) {
		t.Errorf("awaits %v", two.Awaits)
	}
	g.MustSync(makesWay)
}

// If a subnet cannot be deleted, its router interface stays, because the ports that remain on the subnet need it.
func TestASubnetThatCannotGoKeepsItsWay(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	kept := strings.Replace(tier, "metadata: {name: machine}", `metadata: {name: machine, annotations: {stackreeve.dev/prune: "false"}}`, 1)
	before := live(g.MustSync(kept).Last)
	network, _, _ := strings.Cut(tier, "---")
	pass := g.Sync(network)
	if len(pass.Results) > 0 {
		t.Errorf("was done: %v", pass.Results)
	}
	if after := live(g.Plan(kept)); !slices.Equal(before, after) {
		t.Errorf("was\n%q\nis\n%q", before, after)
	}
	g.MustSync(tier)
}
