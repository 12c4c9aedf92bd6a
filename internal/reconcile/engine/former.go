package engine

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// After a kill in the middle of a request, the cloud may still be working on that request. A process that is started in its place, at once and with nothing remembered,
// does not see what comes of that yet, and must not ask for it again.

// slower is how much longer a cloud may take to make something than to list all that there is, and formerMost the longest that is waited.
const (
	slower     = 10
	formerMost = time.Minute
)

// reckonFormer finds out until when that may last, by how long the first lists took.
func (e *Engine) reckonFormer(timing Timing, began, listed time.Time) {
	e.past().NoteFormer(began.Add(max(timing.Former, min(slower*listed.Sub(began), formerMost))))
}

// inherited is until when the cloud may still make what a step is to create, as a process before this one, which was killed, or a request
// that was not answered has asked for it: before that, lists do not show it. It is zero for other steps.
func (r *run) inherited(s *plan.Step) (until time.Time) {
	if s.Action != plan.Create {
		return until
	}
	return r.engine.past().Unshown(s.Identity(), r.timing.Former > 0)
}
