package resolve

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// repository is a resolver as expansions see it.
type repository struct{ *resolver }

var _ kind.Repository = repository{}

// Key implements [kind.Repository].
func (r repository) Key(kind, namespace, name string) manifest.Key {
	return r.key(kind, namespace, name)
}

// Has implements [kind.Repository].
func (r repository) Has(key manifest.Key) bool { return r.byKey[key] != nil }

// Data implements [kind.Repository].
func (r repository) Data(key manifest.Key) map[string]string {
	if n := r.byKey[key]; n != nil {
		return n.Data
	}
	return nil
}

// Declared implements [kind.Repository].
func (r repository) Declared(kind, namespace string) []string { return r.declared(kind, namespace) }

// Nearest implements [kind.Repository].
func (r repository) Nearest(name string, names []string) string { return r.meant(name, names) }

// Referring implements [kind.Repository].
func (r repository) Referring(kind string, to manifest.Key) []string { return r.referring(kind, to) }

// Referred implements [kind.Repository].
func (r repository) Referred(by manifest.Key, kind string) (names []string) {
	n := r.byKey[by]
	if n == nil || n.broken {
		return nil
	}
	for _, ref := range refsOf(&n.Desired, r.groups) {
		if ref.Key.Kind == kind {
			names = append(names, ref.Key.Name)
		}
	}
	return r.handOut(names)
}

// Imported implements [kind.Repository].
func (r repository) Imported(key manifest.Key) *kind.Import {
	if n := r.byKey[key]; n != nil && n.Unmanaged {
		return n.Import
	}
	return nil
}

// Entrust implements [kind.Repository].
func (r repository) Entrust(key manifest.Key, field string, to manifest.Key) bool {
	n, by := r.byKey[key], r.byKey[to]
	if n == nil || by == nil || n.broken || n.Unmanaged || n.Virtual || n.Options.Suspend || n.Options.Ignores(field) {
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
func (r repository) Stated(key manifest.Key) kind.Facts {
	n := r.byKey[key]
	if n == nil || n.broken {
		return kind.Facts{}
	}
	return kind.Ref{}.MadeBy(r.kinds[key.Kind], n.Spec).Stated()
}

// Members implements [kind.Repository].
func (r repository) Members(of manifest.Key, kind string) (names []string, ok bool) {
	n := r.byKey[of]
	if n == nil {
		return nil, false
	}
	return r.handOut(r.membersOf(n, kind)), true
}

// Doubtful implements [kind.Repository].
func (r repository) Doubtful(key manifest.Key) bool {
	if n := r.byKey[key]; n != nil {
		return n.broken
	}
	return r.lost || r.unmade(key)
}

// TakeObjects implements [kind.Repository].
func (r repository) TakeObjects(count int) bool { return r.budget.take(costObjects, count) }

// TakeBody implements [kind.Repository].
func (r repository) TakeBody(body *manifest.Body, count int) bool {
	return r.budget.take(costValues, body.Values*count) && r.budget.take(costBytes, body.Bytes*count)
}

// TakeCost implements [kind.Repository].
func (r repository) TakeCost(cost int) bool { return r.budget.take(costExpressions, cost) }
