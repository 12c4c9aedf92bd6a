package decide

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Upkeep that becomes due with time is not a difference (see [kind.Upkeep]). Its step is a Keep, so counts, hashes, brakes and the in-sync
// report do not include it. A pass carries it out in addition to the plan, by the update that [plan.Step.Tending] returns.

// addUpkeep adds the upkeep that is due now to the step of an object that is kept. Nothing is due while an object that it refers to is missing,
// not usable or about to be replaced. Upkeep that removes something is left out unless the present manifest was applied to the object.
func (p *planner) addUpkeep(s plan.Step, d *kind.Desired) plan.Step {
	k := p.KindOf[d.Key.Kind]
	if k.Upkeep == nil || p.Now.IsZero() || s.Surplus {
		return s
	}
	for _, ref := range d.Refs {
		if !p.ready(ref.Key) || p.found.GetsNewID[ref.Key] {
			return s
		}
	}
	u := k.Upkeep(s.View(), s.Have.State, p.Now)
	if !p.Applied(d, s.Have.Mark) {
		u.Due = slices.DeleteFunc(u.Due, plan.Loses)
	}
	if len(u.Due) > 0 || !u.Next.IsZero() || u.Overdue != "" {
		s.Upkeep = &u
	}
	return s
}

// markedFacts returns the facts of the one object that has the stack's mark for a key. It depends only on the lists, not on decisions.
func (w worldReader) markedFacts(key manifest.Key) (kind.Facts, error) {
	c, known := w.Have[key.Kind]
	switch {
	case !known:
		return kind.Facts{}, errors.New("not looked up yet")
	case len(c.Errs()) > 0:
		return kind.Facts{}, fmt.Errorf("the object is not known: %w", errors.Join(c.Errs()...))
	}
	bearers := w.Cloud.Claimed(key.Kind, ownertext.Of(w.Stack, key))
	switch {
	case len(bearers.Shared) > 0:
		return kind.Facts{}, errors.New(w.contestedText(key.Kind, bearers.Shared[0]).String())
	case len(bearers.Sole) > 1:
		return kind.Facts{}, errors.New("several objects have its mark")
	case len(bearers.Sole) == 0:
		return kind.Facts{}, kind.ErrGone
	}
	return bearers.Sole[0].Facts, nil
}
