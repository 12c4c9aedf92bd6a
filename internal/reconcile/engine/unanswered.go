package engine

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Unanswered are the creations that the cloud may go on with although nobody waits for them any more: until lists have been asked for what came of them,
// they are not asked for again. Nor are those that were answered a moment ago, until a list shows them. It outlives passes, which end when there is news, and
// engines. Only one engine uses it at a time.
type Unanswered struct {
	until map[string]time.Time // by step identity
	made  map[string]creation  // what was answered and is in no list so far, likewise
}

// creation is an object that the cloud has just made.
type creation struct {
	kind, id string
	at       time.Time
	unmade   bool // it is not there yet, see [kind.Live]
}

// behind is how far lists may lag behind what the cloud has answered.
const behind = 2 * time.Second

// mayGoOn reports whether the cloud may go on with what failed: it did not answer, or the request was cut off with its pass.
func mayGoOn(err error) bool {
	return errors.Is(err, kind.ErrUnanswered) || errors.Is(err, context.Canceled)
}

// note records a creation that failed, if it may yet make something.
func (u *Unanswered) note(s *plan.Step, err error, until time.Time) {
	if s.Action != plan.Create || !mayGoOn(err) {
		return
	}
	if u.until == nil {
		u.until = map[string]time.Time{}
	}
	u.until[s.Identity()] = until
}

// noteMade records a creation that was answered.
func (u *Unanswered) noteMade(s *plan.Step, made *kind.Live[any], now time.Time) {
	if u.made == nil {
		u.made = map[string]creation{}
	}
	u.made[s.Identity()] = creation{s.Key.Kind, made.ID, now, made.Unmade}
}

// of is until when lists may not show what comes of the creation of a step; zero for none.
func (u *Unanswered) of(id string) time.Time {
	until := u.until[id]
	if made, ok := u.made[id]; ok && made.at.Add(behind).After(until) {
		until = made.at.Add(behind)
	}
	return until
}

// forget drops those that were over before everything was listed.
func (u *Unanswered) forget(listed time.Time) {
	maps.DeleteFunc(u.until, func(_ string, until time.Time) bool { return until.Before(listed) })
}

// seen drops what has come of a creation; it returns false where that was answered since its collection was listed, or a list lags behind and
// shows what was there before.
func (u *Unanswered) seen(id, object string, listed time.Time) bool {
	if made, ok := u.made[id]; ok && (made.at.After(listed) || made.id != object) {
		return false
	}
	delete(u.until, id)
	delete(u.made, id)
	return true
}

// unmade drops an object that is to be deleted.
func (u *Unanswered) unmade(s *plan.Step) {
	if id := s.Key.String(); u.made[id].id == s.ID() {
		delete(u.made, id)
	}
}

// overdue takes out what a list should show by now, and did not; listed is when a kind was listed.
func (u *Unanswered) overdue(listed func(kind string) time.Time, missed func(id, object string)) {
	for id, made := range u.made {
		if made.at.Add(behind).Before(listed(made.kind)) {
			delete(u.made, id)
			if !made.unmade {
				missed(id, made.id)
			}
		}
	}
}
