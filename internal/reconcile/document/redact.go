package document

import (
	"reflect"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Redact removes secrets from a value. The value keeps its type, unless it has
// secrets and a type that [redact.Redactor] does not know. Names of that type's
// fields stay, and so do keys for which own returns true.
func Redact(r *redact.Redactor, v any, own func(key string) bool) any {
	if r.None() {
		return v
	}
	if shown, known := r.Value(v, own); known {
		return shown
	}
	fields := map[string]bool{}
	fieldNames(reflect.TypeOf(v), fields)
	tree, clean := treeWithout(r, v, func(key string) bool { return fields[key] || own != nil && own(key) })
	if clean {
		return v
	}
	return tree
}

// EveryKey accepts every key as the agent's own: those that kinds write, and definitions.
func EveryKey(string) bool { return true }

// treeWithout returns a value as a tree of its JSON, without secrets. clean is
// true when there were none.
func treeWithout(r *redact.Redactor, v any, own func(key string) bool) (tree any, clean bool) {
	tree, err := treeOf(v)
	if err != nil {
		return redact.Hidden, false
	}
	before := resolve.Canonical(tree)
	tree, _ = r.Value(tree, own)
	return tree, resolve.Canonical(tree) == before
}
