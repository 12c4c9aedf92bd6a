package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Some objects hold data that is nowhere else (see [kind.Info.HoldsData]). A plan that would lose it is held whatever its
// share of the stack, unless the stack or the object says otherwise:
//
//	a step                                            loses data
//	------------------------------------------------  ----------
//	deletes or replaces an object of such a kind      yes
//	takes data from an object that stays (Destroys)   yes, but not what time makes due
//	overwrites it by a way that its annotation names  no: the annotation says so
//	is about a surplus copy, a spare or an unused one no: nothing is in it, or the group made it for a while

// weighLosses notes which steps lose data, and what manifests say of that.
func (p *planner) weighLosses() {
	for i := range p.steps {
		s := &p.steps[i]
		if s.surplus || s.spare || s.unused || !p.loses(s) {
			continue
		}
		s.losesData, s.lossAllowed = true, p.lossAllowed(s)
	}
}

func (w *world) loses(s *Step) bool {
	switch s.Action {
	case Delete, Recreate:
		return w.kinds[s.Key.Kind].Info.HoldsData && !s.have.Empty
	case Update:
		return !s.tends && slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Destroys })
	case Keep, Create, Detach, Wait, Refuse:
	}
	return false
}

// lossAllowed is what manifests say of losing the data of an object: its own, the one that its mark remembers, or
// that of the group that it was a part of; nil where none says anything.
func (w *world) lossAllowed(s *Step) *bool {
	if s.want != nil {
		return s.want.Options.DataLoss
	}
	if group := w.byKey[s.Within]; group != nil && group.Options.DataLoss != nil {
		return group.Options.DataLoss
	}
	if s.have.Mark != nil && s.have.Mark.Loses {
		return &s.have.Mark.Loses
	}
	return nil
}

// LosesData is true of a step that loses data which is nowhere else.
func (s Step) LosesData() bool { return s.losesData && s.Action.Writes() }

// remembersLoss reports whether the mark of an object can remember that its data may be lost.
func (w *world) remembersLoss(d *kind.Desired) bool {
	if may := d.Options.DataLoss; may == nil || !*may || d.Options.NoPrune || d.Options.Detach {
		return false
	}
	info := w.kinds[d.Key.Kind].Info
	return info.HoldsData && !info.FixedMark
}

// consents reports whether the group that an object belongs to says how its members are replaced, and so that they are.
// What a built-in kind says for its own machines is nobody's word.
func (w *world) consents(d *kind.Desired) bool {
	part := w.partOf(d)
	return part != nil && w.byKey[part.group].Rollout != nil && w.byKey[part.group].Rollout.Consents && w.written(part.group)
}

// written reports whether people have written the manifest of an object, or the template that it was made from.
func (w *world) written(key manifest.Key) bool {
	for d := w.byKey[key]; d != nil && d.Parent != (manifest.Key{}); d = w.byKey[d.Parent] {
		if w.byKey[d.Parent].Defined() == nil {
			return false
		}
	}
	return true
}
