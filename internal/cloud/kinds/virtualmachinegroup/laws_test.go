package virtualmachinegroup_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const object = `
apiVersion: verda.linecorp.com/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec:
  replicas: 2
  haPolicy: soft
  template:
    image: centos79
    flavor: n3-1vcpu-2gb
    initScript: {value: ls}
  description: one of many
`

// A group itself does not exist in the cloud, so the laws examine its first
// server.
func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Object: object, Partial: true, Together: true, Elsewhere: "server, port, servergroup",
		Key: manifest.Key{Group: define.OrcGroup, Kind: "Server", Namespace: "default", Name: "web-0"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.flavorRef", Old: "n3-1vcpu-2gb", New: "m1.small", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.userData", Old: "value: ls", New: "value: pwd", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.schedulerHints.serverGroupRef", Old: "haPolicy: soft", New: "haPolicy: none", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.description", Old: "one of many", New: "one of some"},
		},
	}.Run(t)
}

func TestScaling(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(object)
	g.MustSync(strings.Replace(object, "replicas: 2", "replicas: 3", 1))
	for _, step := range g.Plan(object).Steps {
		last := strings.HasSuffix(step.Key.Name, "-2")
		if want := step.Key.Kind == "Server" || step.Key.Kind == "Port"; want && last != (step.Action == plan.Delete) {
			t.Errorf("scaling down to 2 means to %s %s", step.Action, step.Key)
		}
	}
	g.MustSync(object)
	g.MustSync(strings.Replace(object, "replicas: 2", "replicas: 0", 1))
}
