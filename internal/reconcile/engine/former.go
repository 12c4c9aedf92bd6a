package engine

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// After a kill in the middle of a request, the cloud may still be working on that request. A new process may start at once and remember nothing. It does not
// see the result yet, and must not send the request again.

// slower is how many times longer a cloud may take to create an object than to list everything. formerMost is the longest wait.
const (
	slower     = 10
	formerMost = time.Minute
)

// estimateFormerWait finds out until when such a request may last, from the time that the first lists took.
func (e *Engine) estimateFormerWait(timing Timing, began, listed time.Time) {
	e.past().NoteFormer(began.Add(max(timing.Former, min(slower*listed.Sub(began), formerMost))))
}

// notShownUntil is the time until which lists may not show an object that a step is to create. A killed process,
// or a request that was not answered, may have asked for the object before. The time is zero for other steps.
func (r *run) notShownUntil(s *plan.Step) (until time.Time) {
	if s.Action != plan.Create {
		return until
	}
	return r.engine.past().Unshown(s.Identity(), r.timing.Former > 0)
}
