package world

import (
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

// DoesTheWork reports whether an object does the work of a member: it is the member, or bears its name and is of the kind that does.
func (w *World) DoesTheWork(key, member manifest.Key) bool {
	return key == member || key.Kind == w.KindOf[member.Kind].WorkerKind && key.Name == member.Name
}
