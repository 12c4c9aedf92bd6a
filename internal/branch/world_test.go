package branch_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/branch/branchtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

type world = branchtest.World

func inWorld(t *testing.T, test func(w *world)) { t.Helper(); branchtest.In(t, test) }

func sha(name string) string { return branchtest.Sha(name) }

func planOf(commit, text string) plan.Plan { return branchtest.PlanOf(commit, text) }

func found(p plan.Plan) plan.Plan { return branchtest.Found(p) }

func ran(commit string, first, last plan.Plan, results ...engine.Result) report.Run {
	return branchtest.Ran(commit, first, last, results...)
}

// divider is the line between an outcome and the text below it.
const divider = "<!-- before -->"
