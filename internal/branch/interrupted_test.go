package branch

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// TestPassesThatWereInterruptedSayNothingAboutTheCloud interrupts passes while they list the cloud.
func TestPassesThatWereInterruptedSayNothingAboutTheCloud(t *testing.T) {
	unlisted := engine.Pass{Last: plan.Plan{Lists: plan.Lists{Unlisted: []string{"context canceled"}}}}
	interrupted := unlisted
	interrupted.Interrupted = true
	for _, c := range []struct {
		pass engine.Pass
		want string
	}{{interrupted, ""}, {unlisted, "context canceled"}} {
		s := state{sync: insync.Of("one")}
		var d decision
		for range failuresBeforeUnknown {
			d = s.ran(report.Run{Revision: source.Revision{Commit: "one"}, Pass: &c.pass}, "main", true)
		}
		if d.drift.unknown != c.want {
			t.Errorf("interrupted: %v: the drift status says %q, want %q", c.pass.Interrupted, d.drift.unknown, c.want)
		}
	}
	s := state{sync: insync.Of("one"), unread: 1}
	if s.ran(report.Run{Pass: &interrupted}, "main", true); s.unread != 1 {
		t.Errorf("an interrupted pass makes %d of 1 that did not see the cloud", s.unread)
	}
}
