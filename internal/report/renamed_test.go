package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/source"
)

// A rename of a group is one entry for all of its machines.
func TestARenamedGroupIsOneBlock(t *testing.T) {
	group := manifest.Key{Kind: "VirtualMachineGroup", Namespace: "default", Name: "site"}
	p := plan.Plan{Stack: "s", Workloads: []plan.Workload{{Key: group}}}
	for i := range 30 {
		key := func(name string) manifest.Key {
			return manifest.Key{Kind: "Server", Namespace: "default", Name: fmt.Sprintf("%s-%d", name, i)}
		}
		p.Steps = append(p.Steps, plan.Step{Key: key("site"), Source: plan.Source{Parent: group, From: key("web").Name}, Action: plan.Update, Causes: cause.List{cause.Of(cause.Was, key("web"))},
			Comparison: plan.Comparison{Changes: []kind.Change{{Field: "spec.resource.name", Have: key("web").Name, Want: key("site").Name}}}})
	}
	var b bytes.Buffer
	Text{W: &b}.Plan(p, preflight.Findings{}, source.Revision{})
	if n := strings.Count(b.String(), "spec.resource.name"); n != 1 || strings.Contains(b.String(), "web-7") {
		t.Errorf("%d entries:\n%s", n, b.String())
	}
}
