package comment

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/report"
)

func TestASuspensionIsSaidBeforeAndAfterTheMerge(t *testing.T) {
	planned := plan.Plan{Stack: "prod", Steps: []plan.Step{stepOf("Network", "front", plan.Keep)}}.Apply(guard.Suspend("`a` <b> says so"))
	p := Page{Stack: "prod", Head: headCommit, Base: "main", Plan: &planned}
	got := p.Markdown()
	judge(t, got)
	if ok, status := p.Status(); !ok || !strings.Contains(status, "suspended") || !strings.Contains(got, "**The stack is suspended** with this") {
		t.Errorf("a pull request that changes nothing but that reads\n%s\n%s", status, got)
	}
	refused := plan.Plan{Stack: "prod", Steps: []plan.Step{stepOf("Network", "front", plan.Refuse)}}.Apply(guard.Suspend("a test"))
	if ok, status := (Page{Stack: "prod", Plan: &refused}).Status(); ok || !strings.Contains(status, "not possible") {
		t.Errorf("what cannot be is no less wrong while the stack is suspended: %v %s", ok, status)
	}
	approved := plan.Plan{Stack: "prod", Restraint: plan.Restraint{Approved: &plan.Approval{Hash: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", By: "ann"}}}
	p.After = &report.Run{Pass: &engine.Pass{First: approved, Last: approved}}
	if got = p.Markdown(); !strings.Contains(got, "was approved by `ann`") {
		t.Errorf("the report does not say who approved:\n%s", got)
	}
}
