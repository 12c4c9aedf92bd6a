package review_test

import (
	"io/fs"
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

func ran(commit string, first, last plan.Plan, results ...engine.Result) report.Run {
	return branchtest.Ran(commit, first, last, results...)
}

func hashOf(text string) string { return branchtest.HashOf(text) }

func textOf(files fs.FS) string { return branchtest.TextOf(files) }
