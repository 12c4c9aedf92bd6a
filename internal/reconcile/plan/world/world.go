package world

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// World is the input of a plan, with indexes. Nothing changes it.
type World struct {
	Input
	*Wanted
	plan.Digests
	KindOf    map[string]*kind.Kind
	APIGroups map[string]string // API groups, by kind
	KindNames []string          // kind names, in creation order
	Cloud     *bind.Cloud
	AdoptedBy map[*kind.Live]*kind.Desired // the managed object that names a live one by spec.import.id.
	Suspended []suspended                  // objects that may have parts without a manifest.
	Optional  *OptionalMembers             // the spares and scaled members of groups; nil if there is none.
	plan.Stock
}

// New returns the world of an input. cloud has the same objects as in.Have. The argument all has the spares and scaled members
// of groups.
func New(in Input, cloud *bind.Cloud, all *OptionalMembers) *World {
	w := &World{
		Input: in, KindOf: make(map[string]*kind.Kind, len(in.Kinds)), APIGroups: kind.GroupsOf(in.Kinds),
		Wanted: in.Index, Cloud: cloud, Optional: all, AdoptedBy: map[*kind.Live]*kind.Desired{},
	}
	if !in.Index.isOf(in.Stack, in.Want) {
		w.Wanted = Index(in.Stack, in.Want)
	}
	if w.Printer == nil {
		w.Printer, _ = fingerprint.New(in.Stack) // fails for bad keys only
	}
	w.Digests = plan.DigestsOf(w.Stack, w.Printer)
	for _, k := range in.Kinds {
		w.KindOf[k.Info.Kind] = k
		w.KindNames = append(w.KindNames, k.Info.Kind)
	}
	for i := range in.Want {
		if k := in.Want[i].Defined(); k != nil {
			w.KindOf[in.Want[i].Key.Kind] = k
		}
	}
	w.Suspended = w.suspensions()
	w.OwnedKinds = w.Cloud.Owned(w.isWanted)
	for _, n := range w.OwnedKinds {
		w.Owned += n
	}
	for i := range in.Want {
		if d := &in.Want[i]; w.Cloud.Collection(d.Key.Kind) != nil && w.AdoptedByID(d) != nil {
			w.AdoptedBy[w.AdoptedByID(d)] = d
		}
	}
	return w
}

// isWanted reports whether a desired object has the owner text.
func (w *World) isWanted(owner string) bool {
	return w.ByOwner[owner] != nil
}

// Loosely reports whether the object l does not prevent the deletion of the object other, because the cloud
// itself detaches everything of other that l uses.
func Loosely(l, other *kind.Live) bool {
	return slices.Contains(l.AutoDetached, other.ID) && !slices.ContainsFunc(other.Tokens, func(token string) bool { return slices.Contains(l.Uses, token) })
}
