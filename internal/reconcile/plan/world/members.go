package world

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// PartOf finds the group and the member that an object belongs to. The object may be the member itself. It returns nil if the
// object belongs to no group.
func (w *World) PartOf(d *kind.Desired) *plan.Part {
	for ; d != nil && d.Parent != (manifest.Key{}); d = w.ByKey[d.Parent] {
		if w.KindOf[d.Parent.Kind].Group.Members == d.Key.Kind {
			return &plan.Part{Group: d.Parent, Member: d.Key}
		}
	}
	return nil
}

// DoesTheWork reports whether an object is the member itself, or its worker (see [World.WorkerOf]).
func (w *World) DoesTheWork(key, member manifest.Key) bool {
	return key == member || key == w.WorkerOf(member)
}

// WorkerOf returns the key of the object that does the work of a member: the part of the kind [World.WorkerKind] with the member's
// name, or the member itself.
func (w *World) WorkerOf(member manifest.Key) manifest.Key {
	works := w.WorkerKind(member.Kind)
	return manifest.Key{Group: w.APIGroups[works], Kind: works, Namespace: member.Namespace, Name: member.Name}
}

// WorkerKind returns the kind of the parts that do the work of members. If members have no such parts, it returns the kind of the
// members.
func (w *World) WorkerKind(members string) string {
	for _, part := range w.KindOf[members].Info.Parts {
		if k := w.KindOf[part]; k != nil && len(k.Cures) > 0 {
			return part
		}
	}
	return members
}

// WaitsItsTurn reports whether a group decides when the step is carried out. That is so if the step interrupts a working object,
// or if a commit makes the object lose something, such as a disk.
func (w *World) WaitsItsTurn(s *plan.Step) bool {
	if s.Have == nil || !s.Have.Phase.Usable() || s.Healing {
		return false
	}
	return plan.Worst(s.Changes) >= kind.Reboot || slices.ContainsFunc(s.Changes, plan.Loses) && !w.Applied(s.Want, s.Have.Mark)
}

// WrittenByPeople reports whether people wrote the manifest of an object, or the template of a definition that it was made from.
func (w *World) WrittenByPeople(key manifest.Key) bool {
	for d := w.ByKey[key]; d != nil && d.Parent != (manifest.Key{}); d = w.ByKey[d.Parent] {
		if w.ByKey[d.Parent].Defined() == nil {
			return false
		}
	}
	return true
}
