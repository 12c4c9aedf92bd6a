package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// An object can have its data in a store outside of the repository. All stores are asked together, after the kinds that the revision
// defines are expanded and before all others are. So other objects see the data as if the repository had them.
//
// A store may not answer. Then nothing is known about the data, and an object that needs them is suspended: it is neither changed nor
// deleted, and neither are its parts. All other objects are unaffected.

// Stores are the stores that manifests may name.
type Stores struct {
	// Forms says, by the name of a store, which fields the places of its values have. It is nil if the configuration is not known.
	Forms map[string]StoreForm
	// Read sets the data of each object, or the reason why they are unknown. Nil reads nothing.
	Read func(ctx context.Context, wanted []*kind.Stored)
	// Untried is why Read is nil.
	Untried string
}

// StoreForm is the form of the places in a store.
type StoreForm struct {
	Fields bool // secrets have fields and versions
}

const (
	maxStored = 1000      // values of a stack in stores
	unknown   = "unknown" // stands for an unknown value while an object is expanded; the object is suspended.
)

// readStores reads the data of all objects whose data are in stores, and expands these objects.
func (r *resolver) readStores() {
	var nodes []*node
	var wanted []*kind.Stored
	values := 0
	for _, n := range r.order {
		if n.Stored == nil || n.invalid {
			continue
		}
		if problems := r.stores.check(n); len(problems) > 0 {
			r.markInvalid(n, problems)
			continue
		}
		if values += len(n.Stored.Entries); values > maxStored {
			r.markInvalid(n, []manifest.Problem{n.Problem("spec.data", fmt.Sprintf("makes more than %d values of stores in one stack", maxStored), "split the stack")})
			return
		}
		nodes, wanted = append(nodes, n), append(wanted, n.Stored)
	}
	if len(nodes) == 0 || r.over() {
		return
	}
	if r.stores.Read == nil || len(r.problems) > 0 {
		for _, of := range wanted {
			of.Unread = &kind.Unread{Why: r.stores.Untried, Untried: true}
		}
	} else {
		r.stores.Read(r.context, wanted)
	}
	for _, n := range nodes {
		r.last = n.Object
		r.expand(n)
		for _, part := range n.parts {
			part.Stored = n.Stored
		}
		n.Stored.Data = nil // the part has the data
	}
	r.declares, r.names, r.referrers = len(r.order), nil, nil
}

// check returns the mistakes in the places of an object's values.
func (s Stores) check(n *node) (problems []manifest.Problem) {
	if s.Forms == nil {
		return nil
	}
	form, known := s.Forms[n.Stored.Store]
	if !known {
		names := slices.Sorted(maps.Keys(s.Forms))
		fix := "ask the operator to add the store to spec.secretStores of the stack's configuration"
		if near := nearest.Name(n.Stored.Store, names); near != "" {
			fix = "did you mean " + near + "?"
		}
		return []manifest.Problem{n.Problem("spec.store", fmt.Sprintf("names the store %q, which the stack's configuration does not have", n.Stored.Store), fix)}
	}
	for _, name := range slices.Sorted(maps.Keys(n.Stored.Entries)) {
		at, e := "spec.data["+name+"]", n.Stored.Entries[name]
		switch {
		case form.Fields && e.Field == "":
			problems = append(problems, n.Problem(at, "has no field, and secrets of this store have fields", "add field"))
		case !form.Fields && e.Field != "":
			problems = append(problems, n.Problem(at+".field", "is given, and secrets of this store have no fields", "remove it"))
		case !form.Fields && e.Version != 0:
			problems = append(problems, n.Problem(at+".version", "is given, and secrets of this store have no versions", "remove it"))
		}
	}
	return problems
}

// unreadData returns why the data of an object are unknown; nil if they are known, or if the object has none.
func (n *node) unreadData() *kind.Unread {
	if n.Stored == nil || n.Data == nil {
		return nil
	}
	return n.Stored.Unread
}

// suspend suspends an object because a value that it needs is unknown.
func (n *node) suspend(why *kind.Unread) {
	if n.Unread == nil || n.Unread.Untried {
		n.Unread = why
	}
	n.Options.Suspend = true
}

// suspendUnread suspends the objects that refer to an object with unknown data.
func (r *resolver) suspendUnread() {
	for _, n := range r.order {
		for _, ref := range n.Refs {
			if target := r.byKey[ref.Key]; target != nil && !ref.Order && target.unreadData() != nil {
				n.suspend(target.unreadData())
			}
		}
	}
}
