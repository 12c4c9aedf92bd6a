package pulls

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// synced is a world whose branch was merged from pull request 1 and is in sync.
func (w *world) synced() (commit string) {
	commit = w.merge(1, w.open(1, "+a"))
	w.forge.Touch("clouds/thing.yaml", commit)
	done := planOf(commit, "a")
	w.pass(commit, done, done)
	w.look()
	w.forge.Writes()
	return commit
}

// found makes drift what a policy leaves of it: reported, not corrected.
func found(p plan.Plan) plan.Plan { return p.Apply(plan.ReportDrift(true)) }

func TestDriftThatIsReportedStaysUntilSomebodyActs(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		drifted := found(planOf(commit, "~a"))
		since := time.Now().UTC().Format("15:04")
		w.pass(commit, drifted, drifted)
		w.look()
		w.wantStatus(commit, "drift", forge.Failure, "drifted: 1 object since "+since)
		w.wantStatus(commit, "sync", forge.Success, "")
		got := w.comments(1)
		if len(got) != 2 || !strings.Contains(got[1], "Thing/a") || !strings.Contains(got[1], "spec.size") || !strings.Contains(got[1], "mallory") {
			t.Errorf("comments %q; want one about the drift, with who did it", got)
		}
		if s := w.status(commit, "drift"); !strings.Contains(s.URL, "/pull/1#") {
			t.Errorf("the status leads to %q", s.URL)
		}
		w.forge.Writes()
		for range 10 {
			time.Sleep(5 * time.Minute)
			w.pass(commit, drifted, drifted)
			w.look()
		}
		if writes := w.forge.Writes(); len(writes) != 0 {
			t.Errorf("%q was written without news", writes)
		}
		w.restart()
		w.stack.WasSynced(w.Context(), commit)
		w.pass(commit, drifted, drifted)
		w.look()
		w.wantStatus(commit, "drift", forge.Failure, "since "+since)
		mended := planOf(commit, "a")
		w.pass(commit, mended, mended)
		w.look()
		w.pass(commit, mended, mended)
		w.look()
		w.wantStatus(commit, "drift", forge.Success, "no drift")
		if got := w.comments(1); len(got) != 2 || !strings.Contains(got[1], divider) {
			t.Errorf("comments %q; want the drift's to be over", got)
		}
	})
}

func TestWhatWasLeftOpenByAnEarlierProcessIsClosed(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		drifted := found(planOf(commit, "~a"))
		w.pass(commit, drifted, drifted)
		w.look()
		w.restart()
		w.stack.WasSynced(w.Context(), commit)
		mended := planOf(commit, "a")
		w.pass(commit, mended, mended)
		w.look()
		w.wantStatus(commit, "drift", forge.Success, "no drift")
		if got := w.comments(1); len(got) != 2 || !strings.Contains(got[1], divider) {
			t.Errorf("comments %q; want the drift's to be over", got)
		}
	})
}

func TestDriftThatIsCorrectedIsTold(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		drifted, mended := planOf(commit, "~a"), planOf(commit, "a")
		w.stack.Planned(drifted)
		w.look()
		w.wantStatus(commit, "drift", forge.Failure, "drifted: 1 object since")
		w.pass(commit, drifted, mended)
		w.look()
		w.wantStatus(commit, "drift", forge.Success, "no drift")
		if got := w.comments(1); len(got) != 2 || !strings.Contains(got[1], "Thing/a") {
			t.Errorf("comments %q", got)
		}
	})
}

func TestDriftThatComesAndGoesStaysWithinWhatAForgeTakes(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		drifted, mended := planOf(commit, "~a"), planOf(commit, "a")
		for range 1500 {
			w.pass(commit, drifted, mended)
			w.look()
		}
		if _, n := w.forge.Status(commit, "stackreeve/prod/drift"); n > 500 {
			t.Errorf("%d statuses of one commit", n)
		}
		w.wantStatus(commit, "drift", forge.Success, "no drift")
		if got := w.comments(1); len(got) != 2 {
			t.Errorf("%d comments of ours", len(got))
		}
	})
}

func TestACloudThatIsAwayMakesTheDriftUnknown(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		away := func() {
			w.stack.Ran(report.Run{Stack: "prod", Revision: source.Revision{Commit: commit, Branch: "main"}, Err: errors.New("the cloud is away")})
			w.look()
		}
		away()
		w.wantStatus(commit, "drift", forge.Success, "no drift") // once is nothing
		away()
		w.wantStatus(commit, "drift", forge.Error, "away")
		w.wantStatus(commit, "sync", forge.Success, "")
		w.forge.Writes()
		away()
		if writes := w.forge.Writes(); len(writes) != 0 {
			t.Errorf("%q was written without news", writes)
		}
		mended := planOf(commit, "a")
		w.pass(commit, mended, mended)
		w.look()
		w.wantStatus(commit, "drift", forge.Success, "no drift")
	})
}

func TestDriftThatCannotBeMendedIsNotTheCommitsFault(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		drifted := planOf(commit, "~a")
		w.pass(commit, drifted, drifted)
		w.look()
		w.wantStatus(commit, "drift", forge.Failure, "drifted: 1 object")
		w.wantStatus(commit, "sync", forge.Success, "")
	})
}
