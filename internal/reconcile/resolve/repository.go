package resolve

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// repository answers the questions of an object of a namespace while that object is expanded.
type repository struct {
	*resolver
	namespace string
	object    *node // the object that is expanded
}

var _ kind.Revision = repository{}

// KeyOf implements [kind.Revision].
func (r repository) KeyOf(kind, name string) manifest.Key { return r.key(kind, r.namespace, name) }

// Has implements [kind.Revision].
func (r repository) Has(key manifest.Key) bool { return r.byKey[key] != nil }

// Data implements [kind.Repository].
func (r repository) Data(kind, name, entry string) (text string, ok bool) {
	n := r.byKey[r.KeyOf(kind, name)]
	if n == nil {
		return "", false
	}
	if why := n.unreadData(); why != nil {
		r.object.suspend(why)
		_, ok = n.Stored.Entries[entry]
		return unknown, ok
	}
	text, ok = n.Data[entry]
	return text, ok
}

// Declared implements [kind.Repository].
func (r repository) Declared(kind string) []string { return r.declared(kind, r.namespace) }

// GuessName implements [kind.Repository].
func (r repository) GuessName(kind, name string) string { return r.guessName(name, r.Declared(kind)) }

// Referring implements [kind.Repository].
func (r repository) Referring(kind, toKind, toName string) []string {
	return r.referring(kind, r.KeyOf(toKind, toName))
}

// MemberReferred implements [kind.Repository].
func (r repository) MemberReferred(byKind, byName, kind string) (names []string) {
	n := r.byKey[r.KeyOf(byKind, byName)]
	r.awaitLost(n)
	if n == nil || n.invalid {
		return nil
	}
	for _, ref := range refsOf(&n.Desired, r.groups) {
		if ref.Key.Kind == kind {
			names = append(names, ref.Key.Name)
		}
	}
	return r.chargeReferences(names)
}

// Imported implements [kind.Repository].
func (r repository) Imported(of, name string) *kind.Import {
	if n := r.byKey[r.KeyOf(of, name)]; n != nil && n.Unmanaged {
		return n.Import
	}
	return nil
}

// Entrust implements [kind.Revision].
func (r repository) Entrust(key manifest.Key, field string, to manifest.Key) bool {
	n, by := r.byKey[key], r.byKey[to]
	if n == nil || n.Unmanaged || n.Virtual || n.Options.Suspend || n.Options.Ignores(field) {
		return false
	}
	if way := n.Options.Way(field); way != "" && way != by.Options.Way(field) {
		return false
	}
	if n.Options.Entrusted == nil {
		n.Options.Entrusted = map[string]manifest.Key{}
	}
	n.Options.Entrusted[field] = to
	return true
}

// Stated implements [kind.Repository].
func (r repository) Stated(of, name string) kind.Facts {
	n := r.byKey[r.KeyOf(of, name)]
	if n == nil || n.invalid {
		return kind.Facts{}
	}
	return kind.Ref{}.WithNewTarget(r.kinds[of], n.Spec).Stated()
}

// Members implements [kind.Repository].
func (r repository) Members(ofKind, ofName, kind string) (names []string, ok bool) {
	n := r.byKey[r.KeyOf(ofKind, ofName)]
	if n == nil {
		r.awaitLost(n)
		return nil, false
	}
	names = r.chargeReferences(r.membersOf(n, kind))
	r.awaitLost(n)
	return names, true
}

// awaitLost suspends the object that is expanded if the answer to its question may lack parts of n. n is nil if there is no such
// object: it may be a lost part.
func (r repository) awaitLost(n *node) {
	switch {
	case n == nil && r.lost != nil:
		r.object.suspend(r.lost)
	case n != nil && n.lost != nil:
		r.object.suspend(n.lost)
	}
}

// HasMistake implements [kind.Revision].
func (r repository) HasMistake(key manifest.Key) bool {
	n := r.byKey[key]
	r.awaitLost(n)
	if n != nil {
		return n.invalid
	}
	return r.partsUnknown || r.maybeUnexpanded(key)
}

// TakeObjects implements [kind.Revision].
func (r repository) TakeObjects(count int) bool { return r.budget.take(costObjects, count) }

// TakeBody implements [kind.Revision].
func (r repository) TakeBody(body *manifest.Body, count int) bool {
	return r.budget.take(costValues, body.Values*count) && r.budget.take(costBytes, body.Bytes*count)
}

// TakeCost implements [kind.Repository].
func (r repository) TakeCost(cost int) bool { return r.budget.take(costExpressions, cost) }
