package branch_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

func TestOpenDriftCostsNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		drifted := found(planOf(commit, "~a"))
		w.Pass(commit, drifted, drifted)
		w.Visit()
		w.Forge.Requests()
		for range 5 {
			w.Pass(commit, drifted, drifted)
			w.Repo.Outbox.Flush(w.Context())
		}
		if got := w.Forge.Requests(); len(got) != 0 {
			t.Errorf("asked the forge for %q", got)
		}
	})
}

func TestBranchPassesDoNotWaitForAForge(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Forge.Answer(func(string, string) error { time.Sleep(30 * time.Second); return nil })
		w.Open(1, "+a")
		commit := w.Merge(2, w.Open(2, "+b"))
		w.Serve()
		began := time.Now()
		w.Branch.Planned(planOf(commit, "+b"), preflight.Findings{})
		w.Branch.Progress(engine.Progress{Done: 1, Total: 2})
		w.Branch.Ran(ran(commit, planOf(commit, "+b"), planOf(commit, "b")))
		if took := time.Since(began); took > 0 {
			t.Errorf("a pass waited %s for the forge", took)
		}
		time.Sleep(10 * time.Minute)
		w.Stop()
		w.Forge.Answer(nil)
		w.WantStatus(commit, "sync", forge.Success, "in sync")
	})
}

func TestASingleRunReportsTheBranchWhateverPullRequestsDo(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Review.Plan = func(ctx context.Context, _ string, _ fs.FS) (plan.Plan, preflight.Findings, error) {
			<-ctx.Done()
			return plan.Plan{}, preflight.Findings{}, ctx.Err()
		}
		commit := w.Merge(2, w.Open(2, "+b"))
		w.Open(1, "+a")
		w.Branch.Ran(ran(commit, planOf(commit, "+b"), planOf(commit, "b")))
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		defer cancel()
		_ = w.Repo.Once(ctx) // the error says that not everything was posted
		w.WantStatus(commit, "sync", forge.Success, "in sync")
	})
}

func TestDriftThatOnlyTheEndOfAPassSaw(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		fine, drifted := planOf(commit, "a"), found(planOf(commit, "~a"))
		w.Pass(commit, drifted, drifted)
		w.Visit()
		w.Pass(commit, fine, fine)
		w.Visit()
		w.Pass(commit, fine, drifted) // only the last plan of the pass has this drift
		w.Visit()
		w.WantStatus(commit, "drift", forge.Failure, "drifted: 1 object")
		w.Pass(commit, fine, fine)
		w.Visit()
		w.WantStatus(commit, "drift", forge.Success, "no drift")
	})
}

func TestErrorsThatDifferInTheRequestOnlyAreReportedOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Merge(1, w.Open(1, "+a"))
		for n := range 5 {
			err := fmt.Errorf("500 (Request-ID: req-0000000%d-1111-2222-3333-444444444444)", n)
			w.Branch.Ran(report.Run{Stack: "prod", Revision: source.Revision{Commit: commit, Branch: "main"}, Err: err})
			w.Visit()
		}
		if _, n := w.Forge.Status(commit, "stackreeve/prod/sync"); n != 1 {
			t.Errorf("%d statuses", n)
		}
	})
}

// inFiles returns a plan with drift of that many objects, each in its own file. The files were last changed by that many merged pull
// requests.
func inFiles(w *world, commit string, objects, pulls int) plan.Plan {
	for n := range pulls {
		w.Forge.Put(forge.Pull{Number: 100 + n, Base: "main", Merged: true})
		w.Forge.Merge(100+n, sha(fmt.Sprint("touch", n)))
	}
	p := plan.Plan{Stack: "prod", Commit: commit, Stock: plan.Stock{Owned: objects}}
	for n := range objects {
		step := planOf(commit, fmt.Sprint("~a", n)).Steps[0]
		step.Origin.File = fmt.Sprintf("clouds/%d.yaml", n)
		w.Forge.Touch(step.Origin.File, sha(fmt.Sprint("touch", n%pulls)))
		p.Steps = append(p.Steps, step)
	}
	return found(p)
}

func TestDriftOfManyFilesAsksAndWritesLittle(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		drifted := inFiles(w, commit, 600, 40)
		w.Forge.Requests()
		w.Pass(commit, drifted, drifted)
		w.Visit()
		asked, comments := 0, 0
		for _, request := range w.Forge.Requests() {
			if strings.HasPrefix(request, "touch") || strings.HasPrefix(request, "merged") {
				asked++
			}
		}
		for n := range 40 {
			got := w.Comments(100 + n)
			comments += len(got)
			if len(got) > 0 && !strings.Contains(got[0], "No pull request mentions ") {
				t.Errorf("comment %q; want it to say that there is more", got[0])
			}
		}
		if asked > 110 || comments == 0 || comments > 10 {
			t.Errorf("%d questions, %d comments", asked, comments)
		}
		w.WantStatus(commit, "drift", forge.Failure, "drifted: 600 objects")
	})
}

// If a delivery ends early, its results stay valid. The next attempt asks the forge only for the rest.
func TestDriftOfManyFilesOnAForgeThatFailsNowAndThen(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		drifted := inFiles(w, commit, 40, 1)
		asked := 0
		w.Forge.Answer(func(request, _ string) error {
			if request == "touch" || request == "merged" {
				asked++
			}
			if asked%10 == 9 {
				asked++
				return forge.ErrUnavailable
			}
			return nil
		})
		w.Serve()
		w.Pass(commit, drifted, drifted)
		time.Sleep(30 * time.Minute)
		w.Stop()
		if got := w.Comments(100); len(got) != 1 || !strings.Contains(got[0], "40 objects drifted") {
			t.Errorf("comments %q", got)
		}
	})
}
