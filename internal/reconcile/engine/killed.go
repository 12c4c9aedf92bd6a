package engine

import (
	"cmp"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// If the agent is killed in the middle of a request, the cloud may still be working on that request. The next process may start immediately
// and know nothing about it. The lists do not show the result yet, but the process must not send the request again.

// createToListRatio is how many times longer a cloud may take to create an object than to list everything. maxKilledWait is the longest wait.
const (
	createToListRatio = 10
	maxKilledWait     = time.Minute
)

// estimateKilledWait estimates until when the cloud may still be working on a request of a killed process, from the time that the first lists
// of a pass took.
func (e *Engine) estimateKilledWait(timing Timing, began, listed time.Time) {
	since := cmp.Or(e.AloneSince, began)
	e.past().NoteKilled(since.Add(max(timing.KilledWait, min(createToListRatio*listed.Sub(began), maxKilledWait))))
}

// notShownUntil returns the time until which the lists may lack an object although it was requested before. A killed process may have
// requested it, a request may have had no answer, or this process created it a moment ago. The time is zero unless the step creates an
// object.
func (r *run) notShownUntil(s *plan.Step) (until time.Time) {
	if s.Action != plan.Create {
		return until
	}
	return r.engine.past().HiddenUntil(s.Identity(), r.timing.KilledWait > 0)
}
