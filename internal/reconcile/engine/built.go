package engine

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// pollShare limits how late a pass notices that a new object is ready: by at most a tenth of the time that the cloud takes for such objects.
const pollShare = 10

// poll returns the shortest time between two lists of a collection while the cloud works on its objects. Until the first new object of the kind
// is ready, its time is unknown, and the collection is listed often. If such objects take long, more frequent lists would find nothing. Objects that
// are deleted take another time, which is not known.
func (r *run) poll(kindName string) time.Duration {
	if r.fresh[kindName].deletes || r.round.awaited.deleted[kindName] {
		return r.timing.Poll
	}
	return min(max(r.timing.Poll, r.engine.past().UsuallyTakes(kindName)/pollShare), max(r.timing.Poll, r.timing.PollMax))
}

// noteBuilt records since when the cloud works on new objects, and how long it has worked on those that are ready now.
func (r *run) noteBuilt(now time.Time) {
	before := r.built
	r.built = make(map[string]time.Time, len(before))
	for _, s := range r.round.plan.Steps {
		if s.Have == nil {
			continue
		}
		id := s.Identity()
		since, known := before[id]
		switch {
		case s.Have.Phase == kind.Pending && s.AwaitsCloud():
			if !known {
				since = now
			}
			r.built[id] = since
		case s.Have.Phase == kind.Ready && known:
			r.engine.past().NoteBuilt(s.Key.Kind, now.Sub(since))
		}
	}
}
