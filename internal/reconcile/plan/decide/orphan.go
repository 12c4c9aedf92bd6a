package decide

import (
	"cmp"
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// orphans adds the steps for the stack's objects that have no manifest any more. Users come before the objects that they use.
func (p *planner) orphans() {
	list, reached := []plan.Step{}, p.ownProjects()
	for _, name := range slices.Backward(p.KindNames) {
		x := p.Cloud.Collection(name)
		if x == nil || p.Have[name].Err != nil {
			continue
		}
		for owner, claimed := range x.ToDecide(reached) {
			o, ok := ownertext.Parse(owner)
			switch d := p.ByOwner[owner]; {
			case !ok || o.Kind != name:
			case d != nil:
				list = append(list, p.copySteps(d.Key, claimed)...)
			default:
				list = append(list, p.unwantedSteps(o, owner, claimed)...)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b plan.Step) int {
		return cmp.Or(cmp.Compare(p.rank(b.Key.Kind), p.rank(a.Key.Kind)), a.Key.Compare(b.Key), cmp.Compare(a.ID(), b.ID()))
	})
	p.steps = append(append(p.steps, p.stepsInOtherProjects(reached)...), p.usersFirst(list)...)
}

// usersFirst moves each step behind the steps of the users of its object, and keeps the order otherwise.
func (w worldReader) usersFirst(list []plan.Step) []plan.Step {
	at := make(map[*kind.Live]int, len(list))
	for i, s := range list {
		at[s.Have] = i
	}
	out := make([]plan.Step, 0, len(list))
	seen := make([]bool, len(list))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, user := range w.Cloud.UsersOf(list[i].Have) {
			if j, ok := at[user]; ok {
				visit(j)
			}
		}
		out = append(out, list[i])
	}
	for i := range list {
		visit(i)
	}
	return out
}

func (w worldReader) rank(kind string) int { return slices.Index(w.KindNames, kind) }

// orphanKey returns the key that an owner text stands for. If the text has only a digest of the key, the key gets the object's
// name in the cloud.
func (w worldReader) orphanKey(o ownertext.Owner, item *kind.Live) manifest.Key {
	key := manifest.Key{Group: w.APIGroups[o.Kind], Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
	if key.Name == "" {
		key.Namespace, key.Name = "default", item.Name
	}
	return key
}

func (p *planner) orphanStep(o ownertext.Owner, item *kind.Live) plan.Step {
	s, gone := plan.Step{Key: p.orphanKey(o, item), Object: plan.Object{Have: item}}, cause.Of(cause.Gone)
	if over := p.suspendedOver(o, item); over != (manifest.Key{}) && item.Phase != kind.Deleting {
		s.Parent, s.OfSuspended = over, true
		return s.WithAction(plan.Keep, gone, cause.Of(cause.PartOfSuspended, over))
	}
	stays := p.whyNotDelete(o.Kind, item)
	switch info := p.KindOf[o.Kind].Info; {
	case item.Mark.Detach && (info.FixedMark || info.StaysMarked):
		return s.WithAction(plan.Keep, gone, cause.Of(cause.MarkStays, o.Kind))
	case item.Mark.Detach && !p.holding[item].IsZero():
		return s.WithAction(plan.Keep, gone, cause.Of(cause.MarkHeld, p.holding[item]))
	case !stays.IsZero() && item.Phase != kind.Deleting:
		s.Frozen = true
		return s.WithAction(plan.Keep, gone, stays)
	case item.Mark.Detach && item.Phase != kind.Deleting:
		return s.WithAction(plan.Detach, cause.Of(cause.LetGo))
	case item.Mark.Keep:
		return s.WithAction(plan.Keep, gone, cause.Of(cause.LeftAsAsked))
	case item.Phase == kind.Deleting:
		return s.WithAction(plan.Wait, cause.Of(cause.BeingDeleted))
	case !p.spared[item].IsZero():
		s.Frozen = true
		return s.WithAction(plan.Keep, gone, p.spared[item])
	case len(p.found.Imports[item]) > 0:
		s.Error, s.InUse = true, true
		return s.WithAction(plan.Refuse, cause.Of(cause.GoneAnd, gone, cause.Of(cause.StillReferred)))
	case !p.locked[item].IsZero():
		s.Error, s.InUse = true, true
		return s.WithAction(plan.Refuse, cause.Of(cause.GoneAnd, gone, p.locked[item]))
	}
	if p.isSpare(item) {
		s.Spare = true
		return s.WithAction(plan.Delete, cause.Of(cause.SpareUnneeded))
	}
	if why := p.beyondSizeCause(item); !why.IsZero() {
		return s.WithAction(plan.Delete, why)
	}
	return s.WithAction(plan.Delete, gone)
}

// unlistedMessages returns messages about the collections that are unknown although the cloud has the service, sorted by kind.
func (w worldReader) unlistedMessages() []string {
	var out []string
	for _, name := range w.KindNames {
		if c, ok := w.Have[name]; ok && c.Err != nil && !c.Refused && !errors.Is(c.Err, kind.ErrNoService) {
			out = append(out, name+": "+c.Err.Error())
		}
	}
	return append(out, w.incompleteMessages()...)
}

// suspendedOver returns the suspended object that an object without a manifest was a part of; zero for none.
func (w worldReader) suspendedOver(o ownertext.Owner, item *kind.Live) manifest.Key {
	key := w.orphanKey(o, item)
	for _, s := range w.Suspended {
		if here := o.Name == "" || key.Namespace == s.Key.Namespace; here && s.HasPart(key) {
			return s.Key
		}
	}
	return manifest.Key{}
}
