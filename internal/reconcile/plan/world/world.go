package world

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// World is the input of a plan, with indexes. Nothing changes it.
type World struct {
	Input
	plan.Digests
	KindOf    map[string]*kind.Kind
	APIGroups map[string]string // API groups, by kind
	KindNames []string          // kind names, in creation order
	ByKey     map[manifest.Key]*kind.Desired
	Cloud     *bind.Cloud
	ByOwner   map[string]manifest.Key      // the desired object of each owner text.
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
		ByKey: make(map[manifest.Key]*kind.Desired, len(in.Want)), Cloud: cloud, Optional: all,
		ByOwner: make(map[string]manifest.Key, len(in.Want)), AdoptedBy: map[*kind.Live]*kind.Desired{},
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
		d := &in.Want[i]
		w.ByKey[d.Key] = d
		if k := d.Defined(); k != nil {
			w.KindOf[d.Key.Kind] = k
		}
		if owner := ownertext.Of(w.Stack, d.Key); w.ByOwner[owner] == (manifest.Key{}) && !d.Virtual {
			w.ByOwner[owner] = d.Key
		}
	}
	for i := range in.Want {
		for _, owner := range w.FormerOwners(&in.Want[i]) {
			if w.ByOwner[owner] == (manifest.Key{}) {
				w.ByOwner[owner] = in.Want[i].Key
			}
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
	_, wanted := w.ByOwner[owner]
	return wanted
}

// Loosely reports whether the object l does not prevent the deletion of the object other, because the cloud
// itself detaches everything of other that l uses.
func Loosely(l, other *kind.Live) bool {
	return slices.Contains(l.AutoDetached, other.ID) && !slices.ContainsFunc(other.Tokens, func(token string) bool { return slices.Contains(l.Uses, token) })
}
