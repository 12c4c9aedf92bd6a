package servergroup_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/servergroup"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{servergroup.Kind(c)}
}

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ServerGroup
metadata: {name: web}
spec:
  resource:
    name: web-group
    policy: anti-affinity
    rules: {maxServerPerHost: 2}
`

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds:  kinds,
		Key:    manifest.Key{Group: define.OrcGroup, Kind: "ServerGroup", Namespace: "default", Name: "web"},
		Object: object,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.name", Old: "web-group", New: "web-group-2", Replaces: true},
			{Field: "spec.resource.policy", Old: "policy: anti-affinity\n    rules: {maxServerPerHost: 2}", New: "policy: affinity", Replaces: true,
				Also: []string{"spec.resource.rules"}},
			{Field: "spec.resource.rules", Old: "maxServerPerHost: 2", New: "maxServerPerHost: 3", Replaces: true},
		},
	}.Run(t)
}

func TestAnnotationsLeaveItAlone(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.MustSync(object)
	annotated := strings.Replace(object, "{name: web}", `{name: web, annotations: {stackreeve.dev/on-delete: detach}}`, 1)
	step := g.Plan(annotated).Steps[0]
	if step.Action != plan.Keep {
		t.Errorf("action is %s, want keep: nothing can be written on a server group", step.Action)
	}
	if len(step.Notes) != 1 || !strings.Contains(step.Notes[0].Text, "is deleted with its manifest") {
		t.Errorf("notes are %v; want one that says what will happen", step.Notes)
	}
}

func TestOutlivesItsManifestWhenAskedFromTheStart(t *testing.T) {
	for _, annotation := range []string{"on-delete: detach", `prune: "false"`} {
		g := kindtest.NewTarget(t, kinds)
		annotated := strings.Replace(object, "{name: web}", "{name: web, annotations: {stackreeve.dev/"+annotation+"}}", 1)
		g.MustSync(annotated)
		if pass := g.MustSync(annotated); len(pass.Results) > 0 || len(pass.First.Steps[0].Notes) > 0 {
			t.Errorf("%s: second pass: %v", annotation, pass.First.Steps)
		}
		if pass := g.MustSync(""); len(pass.Last.Steps) != 1 || pass.Last.Steps[0].Action != plan.Keep {
			t.Errorf("%s: after the manifest is gone: %v, want it kept", annotation, pass.Last.Steps)
		}
		c := g.Client(nil)
		list, err := cloud.List[struct{ ID, Name string }](t.Context(), c, cloud.Call{Service: cloud.Compute, Path: "os-server-groups"}, "server_groups")
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range list {
			if strings.Contains(group.Name, g.Stack) {
				if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: "DELETE", Path: "os-server-groups/" + group.ID}); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestRulesNeedTheirPolicy(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	_, err := g.TryResolve(strings.Replace(object, "policy: anti-affinity", "policy: affinity", 1))
	if !kindtest.Refuses(err, "spec.resource.rules.maxServerPerHost") {
		t.Errorf("error is %v", err)
	}
}
