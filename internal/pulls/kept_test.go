package pulls

import (
	"testing"
)

// TestAKeptCommitIsNotPending has a pass begin on a commit that is kept while the
// newest is refused: nobody would say how it ended.
func TestAKeptCommitIsNotPending(t *testing.T) {
	inWorld(t, func(w *world) {
		kept := w.base
		w.base = sha("refused")
		w.stack.Planned(planOf(kept, "+a"))
		w.look()
		if got := w.status(kept, "sync"); got.State != "" {
			t.Errorf("the kept commit's status is %+v", got)
		}
		w.stack.Planned(planOf(w.base, "+a"))
		w.look()
		if got := w.status(w.base, "sync"); got.State == "" {
			t.Error("the newest commit has no status")
		}
	})
}
