package report_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
)

// What a pass failed at because it was asked to stop says nothing of the stack: nobody is told that it failed.
func TestAnInterruptedPassIsNoFailure(t *testing.T) {
	failures := []engine.Failure{{Reason: "network: context canceled"}}
	for want, pass := range map[string]engine.Pass{
		report.StateInterrupted: {Interrupted: true, Failures: failures},
		report.StateFailed:      {Failures: failures},
	} {
		if got := report.StateAfter(&report.Run{Pass: &pass}); got.State != want {
			t.Errorf("%+v: it is %s, want %s", pass, got.State, want)
		}
	}
}
