package comment

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestAttackLargePlan checks that the comment on the largest plan of a stack is not longer than the limit. The
// cost grows no faster than the size of the plan.
func TestAttackLargePlan(t *testing.T) {
	testcost.Long(t)
	const n = 20_000
	p := plan.Plan{Stack: "prod"}
	for i := range n {
		key := manifest.Key{Kind: "SecurityGroup", Namespace: "default", Name: fmt.Sprintf("%s%05d", strings.Repeat("n", 200), i)}
		s := plan.Step{Key: key, Action: plan.Update, Source: plan.Source{Origin: manifest.Origin{File: "a.yaml", Line: i}}}
		for j := range 2 {
			s.Changes = append(s.Changes, kind.Change{Field: fmt.Sprintf("spec.resource.rules[%d]", j), Have: "a", Want: strings.Repeat("x", 300)})
		}
		p.Steps = append(p.Steps, s)
	}
	var problems manifest.Problems
	for range 1000 {
		problems = append(problems, manifest.Problem{Field: strings.Repeat("field.", 1000), What: strings.Repeat("wrong ", 1000)})
	}
	most := int64(1200)
	if testcost.UnderRace {
		most = 2400
	}
	for name, page := range map[string]Page{"plan": {Stack: "prod", Plan: &p}, "problems": {Stack: "prod", Problems: problems}} {
		var parts []string
		took := testcost.Allocated(func() {
			parts = Split(page.Markdown(), 57_000)
			report.Text{W: io.Discard}.Plan(p, preflight.Findings{}, source.Revision{})
		}) >> 20
		if len(parts) > MaxParts || took > most {
			t.Errorf("%s: %d parts, %d MiB", name, len(parts), took)
		}
	}
}
