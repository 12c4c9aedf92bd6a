package branch_test

import (
	"context"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

func TestOpenDriftCostsNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		asked := 0
		trace := w.Trace
		w.Trace = func(ctx context.Context, s plan.Step) (kind.Trace, bool) {
			asked++
			return trace(ctx, s)
		}
		drifted := found(planOf(commit, "~a"))
		w.Pass(commit, drifted, drifted)
		w.Visit()
		w.Forge.Requests()
		for range 5 {
			w.Pass(commit, drifted, drifted)
			w.Repo.Outbox.Flush(w.Context())
		}
		if got := w.Forge.Requests(); len(got) != 0 || asked != 1 {
			t.Errorf("asked the cloud %d times and the forge for %q", asked, got)
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
		w.Branch.Planned(planOf(commit, "+b"))
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
		w.Review.Plan = func(ctx context.Context, _ string, _ fs.FS) (plan.Plan, error) {
			<-ctx.Done()
			return plan.Plan{}, ctx.Err()
		}
		commit := w.Merge(2, w.Open(2, "+b"))
		w.Open(1, "+a")
		w.Branch.Ran(ran(commit, planOf(commit, "+b"), planOf(commit, "b")))
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		defer cancel()
		_ = w.Repo.Once(ctx) // it says that not everything was done
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
		w.Pass(commit, fine, drifted) // nobody asked who did it
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
