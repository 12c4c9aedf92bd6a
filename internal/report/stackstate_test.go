package report_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Failures that are caused by a request to stop a pass do not describe the stack. So no notification reports
// that the stack failed.
func TestAnInterruptedPassIsNoFailure(t *testing.T) {
	failures := []engine.Failure{{Causes: cause.List{cause.Of(cause.Tried, "network: context canceled")}}}
	for want, pass := range map[string]engine.Pass{
		report.StateInterrupted: {Interrupted: true, Failures: failures},
		report.StateFailed:      {Failures: failures},
	} {
		if got := report.StateAfter(&report.Run{Pass: &pass}); got.State != want {
			t.Errorf("%+v: it is %s, want %s", pass, got.State, want)
		}
	}
}

// A page or a chat message about the failure of a stack contains the name of the object that failed.
func TestAFailureNamesItsObject(t *testing.T) {
	failed := engine.Failure{Key: manifest.Key{Kind: "Server", Name: "web"}, Causes: cause.List{cause.Of(cause.Tried, "create: compute: 403")}}
	for want, failures := range map[string][]engine.Failure{
		"Server/web: create: compute: 403":             {failed},
		"Server/web: create: compute: 403; and 1 more": {failed, {Key: manifest.Key{Kind: "Port", Name: "p"}}},
	} {
		if got := report.StateAfter(&report.Run{Pass: &engine.Pass{Failures: failures}}).Message; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
