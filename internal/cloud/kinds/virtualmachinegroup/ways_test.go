package virtualmachinegroup_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func chosen(policy string) string {
	return strings.Replace(object, "metadata: {name: web}", `metadata: {name: web, annotations: {stackreeve.dev/change-policy: "`+policy+`"}}`, 1)
}

// The annotation of a group applies to its servers. It can use the field names of VirtualMachineGroup or of Server. The
// servers are changed one at a time, as for a replacement, and keep their IDs, ports and addresses.
func TestChangePolicyOfAGroup(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	const policy = "image=rebuild,flavor=resize,initScript=rebuild"
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(chosen(policy))
	before := ids(g.MustSync(chosen(policy)).Last)
	for name, edit := range map[string]struct {
		old, new string
		cost     kind.Disruption
	}{
		"flavor":     {"n3-1vcpu-2gb", "m1.small", kind.Reboot},
		"image":      {"centos79", "cirros", kind.Rebuild},
		"initScript": {"value: ls", "value: pwd", kind.Rebuild},
	} {
		t.Run(name, func(t *testing.T) {
			if g.Brief() && name == "initScript" {
				t.Skip("a rebuild as that for the image")
			}
			edited := strings.Replace(chosen(policy), edit.old, edit.new, 1)
			pass := g.MustSync(edited)
			for _, s := range pass.First.Steps {
				turn := s.Turn.Code == cause.Turn
				if s.Key.Kind == "Server" && (s.Action != plan.Update || s.Disruption() != edit.cost || turn != (s.Key.Name == "web-1")) {
					t.Errorf("%s: %s, %s, %q", s.Key, s.Action, s.Disruption(), s.FullCause())
				}
			}
			for key, id := range ids(pass.Last) {
				if before[key] != id {
					t.Errorf("%s is %s and was %s", key, id, before[key])
				}
			}
			g.MustSync(chosen(policy))
		})
	}
}

// With initScript=next, a new script does not change a machine. If the machine is rebuilt for another reason, it gets the
// script, too.
func TestScriptForTheNextRebuild(t *testing.T) {
	const policy = "image=rebuild,initScript=next"
	g := kindtest.NewTarget(t, all.Kinds)
	script := strings.Replace(chosen(policy), "value: ls", "value: pwd", 1)
	image := strings.Replace(script, "centos79", "cirros", 1)
	g.Only(script, image)
	before := ids(g.MustSync(chosen(policy)).Last)
	for text, along := range map[string]bool{script: false, image: true} {
		for _, s := range g.Plan(text).Steps {
			if s.Key.Kind == "Server" && (kind.Has(s.Changes, "spec.resource.userData") != along || (s.Disruption() == kind.Rebuild) != along) {
				t.Errorf("%s: %s, %s, %v; the script goes along: %v", s.Key, s.Action, s.Disruption(), s.Changes, along)
			}
		}
	}
	g.MustSync(script)
	pass := g.MustSync(image)
	for key, id := range ids(pass.Last) {
		if before[key] != id {
			t.Errorf("%s is %s and was %s", key, id, before[key])
		}
	}
	for _, s := range g.Plan(strings.Replace(image, "initScript=next", "initScript=replace", 1)).Steps {
		if s.Key.Kind == "Server" && kind.Has(s.Changes, "spec.resource.userData") {
			t.Errorf("%s has not got the script", s.Key)
		}
	}
}

// Members that boot from volumes are rebuilt one at a time, too.
func TestMembersOnVolumesAreRebuiltInTurn(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	first := strings.Replace(chosen("image=rebuild"), "n3-1vcpu-2gb", "n3-1vcpu-2gb\n    rootVolume: {size: 1}", 1)
	second := strings.Replace(first, "centos79", "cirros", 1)
	g.Only(first, second)
	before := ids(g.MustSync(first).Last)
	pass := g.MustSync(second)
	for _, s := range pass.First.Steps {
		turn := s.Turn.Code == cause.Turn
		if s.Key.Kind == "Server" && (s.Action != plan.Update || s.Disruption() != kind.Rebuild || turn != (s.Key.Name == "web-1")) {
			t.Errorf("%s: %s, %s, %q", s.Key, s.Action, s.Disruption(), s.FullCause())
		}
	}
	for key, id := range ids(pass.Last) {
		if before[key] != id {
			t.Errorf("%s is %s and was %s", key, id, before[key])
		}
	}
}

func ids(p plan.Plan) map[string]string {
	ids := map[string]string{}
	for _, s := range p.Steps {
		if !s.Unmanaged() {
			ids[s.Key.String()] = s.ID()
		}
	}
	return ids
}

func TestChangePolicyThatThereIsNot(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	for policy, want := range map[string]string{
		"flavour=resize":  ` flavour `,
		"flavor=rebuild":  ` resize, replace, next, ignore`,
		"tags=ignore":     ` tags `,
		"x=y,flavour=":    `"x=y"`,
		"imageRef=resize": ` rebuild, replace, next, ignore`,
	} {
		if _, err := g.TryResolve(chosen(policy)); !kindtest.Refuses(err, "metadata.annotations[stackreeve.dev/change-policy]") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", policy, err, want)
		}
	}
}
