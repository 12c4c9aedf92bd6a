package branch_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Every correction of drift is reported, no matter which round of the pass found the drift. That may be a later round, a pass that gave way to
// a newer commit, or a pass that also applied a commit.
func TestEveryCorrectionIsReported(t *testing.T) {
	ran := func(w *world, commit string, pass engine.Pass) {
		w.Branch.Planned(pass.First, preflight.Findings{})
		w.Branch.Ran(report.Run{Stack: "prod", Revision: source.Revision{Commit: commit}, Pass: &pass})
		w.Visit()
	}
	for name, passes := range map[string]func(w *world, commit string){
		"found late": func(w *world, commit string) {
			fine, drifted := planOf(commit, "a"), found(planOf(commit, "~a"))
			ran(w, commit, engine.Pass{Commit: commit, First: fine, Last: fine, LateDrift: drifted.Steps})
		},
		"found by a superseded pass": func(w *world, commit string) {
			fine, drifted := planOf(commit, "a"), found(planOf(commit, "~a"))
			ran(w, commit, engine.Pass{Commit: commit, First: drifted, Last: fine, Interrupted: true, Superseded: "commit x"})
			ran(w, commit, engine.Pass{Commit: commit, First: fine, Last: fine})
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				commit := w.Synced()
				passes(w, commit)
				w.WantStatus(commit, "drift", forge.Success, "no drift")
				if got := w.Comments(1); len(got) != 2 || !strings.Contains(got[1], "Thing/a") {
					t.Errorf("comments %q", got)
				}
			})
		})
	}
}

func TestACommitThatIsOvertakenSaysSo(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Synced()
		commit := sha("overtaken")
		plan := planOf(commit, "+b")
		w.Branch.Planned(plan, preflight.Findings{})
		w.Branch.Ran(report.Run{Stack: "prod", Revision: source.Revision{Commit: commit}, Pass: &engine.Pass{Commit: commit, First: plan, Last: plan, Interrupted: true, Superseded: "commit abc"}})
		w.Visit()
		w.WantStatus(commit, "sync", forge.Error, "superseded by commit abc before the commit was applied completely")
	})
}
