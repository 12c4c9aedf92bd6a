package branch_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// TestAKeptCommitIsNotPending starts a pass on an older commit while the newest is refused. The older commit must not become pending,
// because nothing would report the end of its pass.
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
