package world

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// PartOf finds the group, and the member of it, that an object is or belongs to;
// nil when there is none.
func (w *World) PartOf(d *kind.Desired) *plan.Part {
	for ; d != nil && d.Parent != (manifest.Key{}); d = w.ByKey[d.Parent] {
		if w.KindOf[d.Parent.Kind].Group.Members == d.Key.Kind {
			return &plan.Part{Group: d.Parent, Member: d.Key}
		}
	}
	return nil
}

// DoesTheWork reports whether an object does the work of a member: it is the member's worker, or the member, which may have none.
func (w *World) DoesTheWork(key, member manifest.Key) bool {
	return key == member || key == w.WorkerOf(member)
}

// WorkerOf is the object that does the work of a member: its part of that kind, which bears its name, or the member itself.
func (w *World) WorkerOf(member manifest.Key) manifest.Key {
	works := w.WorkerKind(member.Kind)
	return manifest.Key{Group: w.APIGroups[works], Kind: works, Namespace: member.Namespace, Name: member.Name}
}

// WorkerKind is the kind of the parts that do the work of members of a kind; that kind itself where its members have no such parts.
func (w *World) WorkerKind(members string) string {
	for _, part := range w.KindOf[members].Info.Parts {
		if k := w.KindOf[part]; k != nil && len(k.Cures) > 0 {
			return part
		}
	}
	return members
}

// WaitsItsTurn reports whether changes are such that a group may leave a member without them: they interrupt what works, or a
// commit has it lose something, such as a disk.
func (w *World) WaitsItsTurn(s *plan.Step) bool {
	if s.Have == nil || !s.Have.Phase.Usable() || s.Healing {
		return false
	}
	return plan.Worst(s.Changes) >= kind.Reboot || slices.ContainsFunc(s.Changes, plan.Loses) && !w.Applied(s.Want, s.Have.Mark)
}

// Written reports whether people have written the manifest of an object, or the template that it was made from.
func (w *World) Written(key manifest.Key) bool {
	for d := w.ByKey[key]; d != nil && d.Parent != (manifest.Key{}); d = w.ByKey[d.Parent] {
		if w.ByKey[d.Parent].Defined() == nil {
			return false
		}
	}
	return true
}
