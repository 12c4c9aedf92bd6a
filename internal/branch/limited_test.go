package branch

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// A run that is limited to some objects says nothing about its commit: neither that it is in sync, nor that it is held, nor that nothing
// has drifted. But a commit that was in sync before is replaced as soon as the run changes the cloud.
func TestALimitedRunSaysNothingAboutItsCommit(t *testing.T) {
	t.Parallel()
	done := plan.Plan{Commit: "b", Restraint: plan.Restraint{Limit: &plan.Limit{Targets: []string{"Server/a"}}}}
	held := done
	held.Held = plan.Plan{}.Held.And(done.Unapproved([]plan.Approval{{Hash: "x"}}))
	for name, p := range map[string]plan.Plan{"done": done, "held": held} {
		var s state
		s.sync = s.sync.InSync("a")
		if b := s.planned(p, "a", time.Now()); b.begins || b.drift.commit != "" {
			t.Errorf("%s: it is reported that the pass begins: %+v", name, b)
		}
		run := report.Run{Revision: source.Revision{Commit: "b", Parent: "a"}, Pass: &engine.Pass{Commit: "b", First: p, Last: p, Results: []engine.Result{{}}}}
		d := s.ran(run, "main", true)
		if d.outcome != nil || d.held != nil || d.drift.commit != "" {
			t.Errorf("%s: %+v", name, d)
		}
		if d.replaced != "a" || s.equals("b") {
			t.Errorf("%s: %q is replaced; b is in sync: %t", name, d.replaced, s.equals("b"))
		}
	}
}
