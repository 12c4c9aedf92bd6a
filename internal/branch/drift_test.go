package branch_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

func TestDriftThatIsReportedStaysUntilSomebodyActs(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		drifted := found(planOf(commit, "~a"))
		since := time.Now().UTC().Format("15:04")
		w.Pass(commit, drifted, drifted)
		w.Visit()
		w.WantStatus(commit, "drift", forge.Failure, "drifted: 1 object since "+since)
		w.WantStatus(commit, "sync", forge.Success, "")
		got := w.Comments(1)
		if len(got) != 2 || !strings.Contains(got[1], "Thing/a") || !strings.Contains(got[1], "spec.size") || !strings.Contains(got[1], "mallory") {
			t.Errorf("comments %q; want one about the drift, with who did it", got)
		}
		if s := w.Status(commit, "drift"); !strings.Contains(s.URL, "/pull/1#") {
			t.Errorf("the status leads to %q", s.URL)
		}
		w.Forge.Writes()
		for range 10 {
			time.Sleep(5 * time.Minute)
			w.Pass(commit, drifted, drifted)
			w.Visit()
		}
		if writes := w.Forge.Writes(); len(writes) != 0 {
			t.Errorf("%q was written without news", writes)
		}
		w.Restart()
		w.Restored(commit)
		w.Pass(commit, drifted, drifted)
		w.Visit()
		w.WantStatus(commit, "drift", forge.Failure, "since "+since)
		corrected := planOf(commit, "a")
		w.Pass(commit, corrected, corrected)
		w.Visit()
		w.Pass(commit, corrected, corrected)
		w.Visit()
		w.WantStatus(commit, "drift", forge.Success, "no drift")
		if got := w.Comments(1); len(got) != 2 || !strings.Contains(got[1], divider) {
			t.Errorf("comments %q; want the drift's to be over", got)
		}
	})
}

func TestWhatWasLeftOpenByAnEarlierProcessIsClosed(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		drifted := found(planOf(commit, "~a"))
		w.Pass(commit, drifted, drifted)
		w.Visit()
		w.Restart()
		w.Restored(commit)
		corrected := planOf(commit, "a")
		w.Pass(commit, corrected, corrected)
		w.Visit()
		w.WantStatus(commit, "drift", forge.Success, "no drift")
		if got := w.Comments(1); len(got) != 2 || !strings.Contains(got[1], divider) {
			t.Errorf("comments %q; want the drift's to be over", got)
		}
	})
}

// If one pull request cannot get a comment, for example because it is locked, the comment on another one is still closed at the end of the
// drift.
func TestDriftOnALockedPullRequestIsClosedElsewhere(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		w.Forge.Touch("clouds/locked.yaml", w.Merge(2, w.Open(2, "+b")))
		w.Failing(forge.ErrRefused, "post 2")
		drifted := planOf(commit, "~a ~b")
		drifted.Steps[1].Origin.File = "clouds/locked.yaml"
		drifted = found(drifted)
		w.Pass(commit, drifted, drifted)
		w.Visit()
		if s := w.Status(commit, "drift"); s.URL == "" {
			t.Errorf("%+v leads nowhere", s)
		}
		w.Restart()
		w.Restored(commit)
		corrected := planOf(commit, "a b")
		w.Pass(commit, corrected, corrected)
		w.Visit()
		if got := w.Comments(1); len(got) != 2 || !strings.Contains(got[1], divider) {
			t.Errorf("comments %q; want the drift's to be over", got)
		}
	})
}

func TestDriftThatIsCorrectedIsReported(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		drifted, corrected := planOf(commit, "~a"), planOf(commit, "a")
		w.Branch.Planned(drifted, preflight.Findings{})
		w.Visit()
		w.WantStatus(commit, "drift", forge.Failure, "drifted: 1 object since")
		w.Pass(commit, drifted, corrected)
		w.Visit()
		w.WantStatus(commit, "drift", forge.Success, "no drift")
		if got := w.Comments(1); len(got) != 2 || !strings.Contains(got[1], "Thing/a") {
			t.Errorf("comments %q", got)
		}
	})
}

func TestDriftThatComesAndGoesStaysWithinWhatAForgeTakes(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		drifted, corrected := planOf(commit, "~a"), planOf(commit, "a")
		for range 1500 {
			w.Pass(commit, drifted, corrected)
			w.Visit()
		}
		if _, n := w.Forge.Status(commit, "stackreeve/prod/drift"); n > 500 {
			t.Errorf("%d statuses of one commit", n)
		}
		w.WantStatus(commit, "drift", forge.Success, "no drift")
		if got := w.Comments(1); len(got) != 2 {
			t.Errorf("%d comments of ours", len(got))
		}
	})
}

func TestACloudThatIsAwayMakesTheDriftUnknown(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		away := func() {
			w.Branch.Ran(report.Run{Stack: "prod", Revision: source.Revision{Commit: commit, Branch: "main"}, Err: errors.New("the cloud is away")})
			w.Visit()
		}
		away()
		w.WantStatus(commit, "drift", forge.Success, "no drift") // a single failure is not reported
		away()
		w.WantStatus(commit, "drift", forge.Error, "away")
		w.WantStatus(commit, "sync", forge.Success, "")
		w.Forge.Writes()
		away()
		if writes := w.Forge.Writes(); len(writes) != 0 {
			t.Errorf("%q was written without news", writes)
		}
		corrected := planOf(commit, "a")
		w.Pass(commit, corrected, corrected)
		w.Visit()
		w.WantStatus(commit, "drift", forge.Success, "no drift")
	})
}

func TestDriftThatCannotBeCorrectedIsNotTheCommitsFault(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		drifted := planOf(commit, "~a")
		w.Pass(commit, drifted, drifted)
		w.Visit()
		w.WantStatus(commit, "drift", forge.Failure, "drifted: 1 object")
		w.WantStatus(commit, "sync", forge.Success, "")
	})
}

// Drift that began and ended before the forge accepted a status is still reported.
func TestDriftThatIsOverBeforeAStatusIsTaken(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		drifted, corrected := planOf(commit, "~a"), planOf(commit, "a")
		w.Pass(commit, drifted, corrected)
		failures := 1
		w.Forge.Answer(func(request, _ string) error {
			if request == "status" && failures > 0 {
				failures--
				return forge.ErrUnavailable
			}
			return nil
		})
		w.Visit()
		w.WantStatus(commit, "drift", forge.Success, "no drift")
		if writes := strings.Join(w.Forge.Writes(), "\n"); !strings.Contains(writes, "drift failure") {
			t.Errorf("the drift is in no status: %s", writes)
		}
	})
}
