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

// What time makes due of an object is no difference (see [kind.Upkeep]): its step stays a Keep, so counts,
// hashes, brakes and what is said of being in sync do not know it. A pass carries it out beside
// its plan, by the update that [plan.Step.Tending] gives.

// tend adds to the step of an object that is kept what is due of it now. Where something that it refers to is
// not there, or about to go, nothing is. What is taken away is what the manifest that was applied says.
func (p *planner) tend(s plan.Step, d *kind.Desired) plan.Step {
	k := p.KindOf[d.Key.Kind]
	if k.Upkeep == nil || p.Now.IsZero() || s.Surplus {
		return s
	}
	for _, ref := range d.Refs {
		if !p.found.Ready[ref.Key] || p.found.Doomed[ref.Key] {
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

// marked are the facts of the one object that bears the stack's mark for a key. It depends on the lists
// alone, and not on what is decided.
func (w given) marked(key manifest.Key) (kind.Facts, error) {
	c, known := w.Have[key.Kind]
	switch {
	case !known:
		return kind.Facts{}, errors.New("not looked up yet")
	case len(c.Errs()) > 0:
		return kind.Facts{}, fmt.Errorf("it is not known: %w", errors.Join(c.Errs()...))
	}
	bearers := w.Cloud.Claimed(key.Kind, ownertext.Of(w.Stack, key))
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
