package floatingip_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// If a commit replaces a port, its floating IP is associated with the new port, even if the policy is to only report
// drift.
func TestAFloatingIPFollowsAReplacedPort(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	before := needs + "---" + strings.Replace(object, "portRef: web-1\n    fixedIP: 192.168.50.10\n", "portRef: web-2\n", 1)
	e := g.Engine(g.Client(nil))
	e.Policies = []plan.Policy{guard.ReportDrift(true)}
	for _, doc := range []string{before, strings.Replace(before, "ip: 192.168.50.20", "ip: 192.168.50.30", 1)} {
		pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(doc)})
		if pass.Outcome() != plan.InSync || pass.Drifted() != 0 {
			t.Errorf("%s, %d drifted: %v, late: %v", pass.Outcome(), pass.Drifted(), pass.Failures, pass.LateDrift)
		}
	}
}
