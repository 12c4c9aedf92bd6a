package plan

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// WithoutLosses returns the step without the upkeep that removes something.
func (s Step) WithoutLosses() Step {
	if s.Upkeep != nil {
		u := *s.Upkeep
		u.Due = slices.DeleteFunc(slices.Clone(u.Due), Loses)
		s.Upkeep = &u
	}
	return s
}

// Loses reports whether a change loses something.
func Loses(c kind.Change) bool { return c.Loss != "" }

// destroys reports whether a change is as bad as a deletion for somebody: for the owner of data in the object, or for a user who depends on it.
func destroys(c kind.Change) bool { return c.Destroys || c.Cuts != "" }

// Tending returns the update that carries out the upkeep of an object equal to Git. due is false if no upkeep is due.
func (s Step) Tending() (update Step, due bool) {
	if s.Action != Keep || s.Upkeep == nil || len(s.Upkeep.Due) == 0 {
		return Step{}, false
	}
	update = s.WithAction(Update, cause.Of(cause.Due))
	update.Changes, update.IsUpkeep = s.Upkeep.Due, true
	return update, true
}

// Due returns when the next upkeep of any object may be due; the zero time for never.
func (p Plan) Due() (at time.Time) {
	for _, s := range p.Steps {
		if s.Upkeep == nil || s.Upkeep.Next.IsZero() {
			continue
		}
		if next := s.Upkeep.Next; at.IsZero() || next.Before(at) {
			at = next
		}
	}
	return at
}
