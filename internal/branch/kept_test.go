package branch_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// TestAKeptCommitIsNotPending starts a pass on a commit that is kept while the newest is refused: nothing would report how it ended.
func TestAKeptCommitIsNotPending(t *testing.T) {
	inWorld(t, func(w *world) {
		kept := w.Base
		w.Base = sha("refused")
		w.Branch.Planned(planOf(kept, "+a"), preflight.Findings{})
		w.Visit()
		if got := w.Status(kept, "sync"); got.State != "" {
			t.Errorf("the kept commit's status is %+v", got)
		}
		w.Branch.Planned(planOf(w.Base, "+a"), preflight.Findings{})
		w.Visit()
		if got := w.Status(w.Base, "sync"); got.State == "" {
			t.Error("the newest commit has no status")
		}
	})
}
