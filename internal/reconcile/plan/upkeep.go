package plan

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// What time makes due of an object is no difference (see [kind.Upkeep]): its step stays a Keep, so counts,
// hashes, brakes and what is said of being in sync do not know it. A pass carries it out beside
// its plan, by the update that [Step.Tending] gives.

// tend adds to the step of an object that is kept what is due of it now. Where something that it refers to is
// not there, or about to go, nothing is. What is taken away is what the manifest that was applied says.
func (p *planner) tend(s Step, d *kind.Desired) Step {
	k := p.kinds[d.Key.Kind]
	if k.Upkeep == nil || p.Now.IsZero() || s.Surplus() {
		return s
	}
	for _, ref := range d.Refs {
		if !p.ready[ref.Key] || p.doomed[ref.Key] {
			return s
		}
	}
	u := k.Upkeep(s.View(), s.have.State, p.Now)
	if !p.applied(d, s.have.Mark) {
		u.Due = slices.DeleteFunc(u.Due, loses)
	}
	if len(u.Due) > 0 || !u.Next.IsZero() || u.Overdue != "" {
		s.upkeep = &u
	}
	return s
}

// withoutLosses is the step without what takes something away because time makes it due.
func (s Step) withoutLosses() Step {
	if s.upkeep != nil {
		u := *s.upkeep
		u.Due = slices.DeleteFunc(slices.Clone(u.Due), loses)
		s.upkeep = &u
	}
	return s
}

// loses reports whether something is lost by a change.
func loses(c kind.Change) bool { return c.Loss != "" }

// destroys reports whether a change is as bad as a deletion for somebody: for who has data in the object, or who depends on it.
func destroys(c kind.Change) bool { return c.Destroys || c.Cuts != "" }

// Tending is the update by which a pass does what is due of an object that is as wanted; false
// where nothing is.
func (s Step) Tending() (update Step, due bool) {
	if s.Action != Keep || s.upkeep == nil || len(s.upkeep.Due) == 0 {
		return Step{}, false
	}
	update = s.withAction(Update, cause.Of(cause.Due))
	update.Changes, update.tends = s.upkeep.Due, true
	return update, true
}

// Tends is true of an update that does what is due of an object that is as wanted.
func (s Step) Tends() bool { return s.tends }

// Due is when the next upkeep of an object may be due; the zero time for never.
func (p Plan) Due() (at time.Time) {
	for _, s := range p.Steps {
		if s.upkeep == nil || s.upkeep.Next.IsZero() {
			continue
		}
		if next := s.upkeep.Next; at.IsZero() || next.Before(at) {
			at = next
		}
	}
	return at
}

// marked are the facts of the one object that bears the stack's mark for a key. It depends on the lists
// alone, and not on what is decided.
func (w *world) marked(key manifest.Key) (kind.Facts, error) {
	c, known := w.Have[key.Kind]
	switch {
	case !known:
		return kind.Facts{}, errors.New("not looked up yet")
	case len(c.Errs()) > 0:
		return kind.Facts{}, fmt.Errorf("it is not known: %w", errors.Join(c.Errs()...))
	}
	bearers := w.cloud.Claimed(key.Kind, kind.OwnerText(w.Stack, key))
	switch {
	case len(bearers.Shared) > 0:
		return kind.Facts{}, errors.New(w.contestedText(key.Kind, bearers.Shared[0]).String())
	case len(bearers.Sole) > 1:
		return kind.Facts{}, errors.New("several objects bear its mark")
	case len(bearers.Sole) == 0:
		return kind.Facts{}, kind.ErrGone
	}
	return bearers.Sole[0].Facts, nil
}
