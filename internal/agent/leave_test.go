package agent

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A stack that moves to another agent finishes its pass and starts no other. If the stack rests or waits, it leaves immediately.
func TestAStackLeavesBetweenPasses(t *testing.T) {
	for name, state := range map[string]string{"in the middle of a pass": "pass", "while it waits": "", "while it rests after a failure": "failed"} {
		synctest.Test(t, func(t *testing.T) {
			leave, end := make(chan struct{}), make(chan struct{})
			o := &outside{commit: "one"}
			o.pass = func(ctx context.Context, _ int) engine.Pass {
				if state == "pass" {
					<-end
				}
				if ctx.Err() != nil {
					t.Errorf("%s: the pass was ended", name)
				}
				if state == "failed" {
					return engine.Pass{Failures: []engine.Failure{{Causes: cause.List{cause.Of(cause.Tried, "x")}}}}
				}
				return engine.Pass{}
			}
			s := o.stack(t, "@every 1m", "@every 1m")
			s.Leave = leave
			done := make(chan struct{})
			go func() { s.Serve(t.Context()); close(done) }()
			synctest.Wait()
			close(leave)
			synctest.Wait()
			select {
			case <-done:
				if state == "pass" {
					t.Errorf("%s: it left", name)
				}
			default:
				if state != "pass" {
					t.Errorf("%s: it stays", name)
				}
			}
			close(end)
			<-done
			if len(o.passes) != 1 {
				t.Errorf("%s: %d passes", name, len(o.passes))
			}
		})
	}
}

// A stack waits for its dependencies no matter which agent serves them. It is checked when another agent gets one of them in sync.
func TestAStackWaitsForThoseOfOtherAgents(t *testing.T) {
	s := NewDependencies()
	app := New(Config{Name: "app", DependsOn: []string{"network"}, Process: Process{Dependencies: s}})
	s.Expect("network")
	leave := s.Join(app)
	checks := app.Signals.check
	if len(app.depends()) == 0 {
		t.Error("it does not wait")
	}
	s.SetOutcome("network", plan.InSync)
	if len(checks) != 1 || len(app.depends()) != 0 {
		t.Errorf("%d checks when it is in sync", len(checks))
	}
	drain(checks)
	leave()
	s.SetOutcome("network", plan.OutOfSync)
	s.SetOutcome("network", plan.InSync)
	if len(checks) != 0 {
		t.Error("one that has left is checked")
	}
}
