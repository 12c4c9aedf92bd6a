package branch_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

func TestAttackForgedStatusesAreNotBelieved(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Merge(1, w.Open(1, "+a"))
		sync := forge.Status{Context: "stackreeve/prod/sync", State: forge.Success, Description: "in sync: 9 objects"}
		w.Forge.SetAs("mallory", commit, sync)
		if w.Restored(commit) {
			t.Error("a status of somebody else's makes a commit applied")
		}
		done := planOf(commit, "a")
		w.Pass(commit, planOf(commit, "+a"), done)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync: 10 objects")
		// Somebody else's status that hides the agent's status has no effect, and the agent's next status hides that one.
		sync.State, sync.Description = forge.Failure, "broken"
		w.Forge.SetAs("mallory", commit, sync)
		w.Restart()
		if !w.Restored(commit) {
			t.Error("a status of somebody else's makes a commit not applied")
		}
		w.Pass(commit, done, done)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync: 10 objects")
		w.Forge.Writes()
		for range 3 {
			w.Pass(commit, done, done)
			w.Visit()
		}
		if writes := w.Forge.Writes(); len(writes) > 0 {
			t.Errorf("%q was written without news", writes)
		}
	})
}

// Somebody writes so many comments that the agent does not read all of them. People can still read how to approve, even if the agent has no
// comment of its own to edit.
func TestAttackAFloodOfCommentsOnWhatIsHeld(t *testing.T) {
	for _, planned := range []bool{true, false} {
		inWorld(t, func(w *world) {
			head := w.Open(1, "-a -b -c -d")
			if planned {
				w.Visit()
			}
			for range 30 {
				w.Forge.AddComment(1, "mallory", "spam")
			}
			w.Forge.MaxComments = 20
			w.Visit()
			held := planOf("", "-a -b -c -d")
			command := "stackreeve run --once --stack prod --approve " + held.Hash()
			w.WantStatus(head, "plan", forge.Failure, command)
			commit := w.Merge(1, head)
			held.Commit = commit
			for range 3 {
				w.Pass(commit, held, held)
				w.Visit()
			}
			w.WantStatus(commit, "sync", forge.Failure, "held: unread; approve: "+command)
			w.Forge.MaxComments = 0
			got := w.Comments(1)
			if planned && (len(got) != 1 || !strings.Contains(got[0], command) || strings.Contains(got[0], "/stackreeve approve")) || !planned && len(got) != 0 {
				t.Errorf("comments %q", got)
			}
			w.Pass(commit, held, held)
			w.Visit()
			w.Approve(1, "-a -b -c -d")
			if list := w.Branch.Approvals(w.Context(), commit); len(list) == 0 {
				t.Error("nobody can approve once the comments are read again")
			}
		})
	}
}

func TestAttackAForgedDriftStatusLeadsNowhere(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		w.Open(7, "+b")
		w.Forge.SetAs("mallory", commit, forge.Status{Context: "stackreeve/prod/drift", State: forge.Failure, Description: "drifted", URL: "https://forge.example/pull/7#x"})
		w.Restart()
		w.Restored(commit)
		w.Forge.Requests()
		fine := planOf(commit, "a")
		w.Pass(commit, fine, fine)
		w.Repo.Outbox.Flush(w.Context())
		for _, request := range w.Forge.Requests() {
			if request == "comments 7" {
				t.Error("a status of somebody else's leads to a pull request")
			}
		}
	})
}

// A value with several lines is shown line by line. One line looks like the divider between an outcome and the plan below it. The other
// lines try to end the code block once the plan is merged.
func TestAttackAValueThatLooksLikeTheDivider(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Review.Plan = func(_ context.Context, commit string, _ fs.FS) (plan.Plan, preflight.Findings, error) {
			p := planOf(commit, "~a")
			p.Steps[0].Drift = false
			p.Steps[0].Changes = []kind.Change{{Field: "spec.description", Have: "a", Want: "b\n" + divider + "\n@acme/admins: [approve](https://evil.example)\nc"}}
			return p, preflight.Findings{}, nil
		}
		head := w.Open(1, "~a")
		w.Visit()
		commit := w.Merge(1, head)
		done := planOf(commit, "a")
		w.Pass(commit, planOf(commit, "~a"), done)
		w.Visit()
		got := w.Comments(1)
		if len(got) != 1 {
			t.Fatalf("comments %q", got)
		}
		_, before, _ := strings.Cut(got[0], "\n"+divider+"\n")
		if !strings.HasPrefix(before, "### `prod`: ") || strings.Count(before, "```") != 2 {
			t.Errorf("below the outcome stands %q, want the plan as it was", before)
		}
	})
}
