package document

import (
	"reflect"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Redact removes secrets from a value. The value keeps its type, unless it contains secrets and [redact.Redactor] does not know the type.
// It does not change the names of that type's fields, and the keys for which own returns true.
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

// EveryKey reports every key as public. It is used if all keys come from kinds or definitions.
func EveryKey(string) bool { return true }

// treeWithout returns a value as the tree of its JSON, without secrets. clean is true if the value contains no secrets.
func treeWithout(r *redact.Redactor, v any, own func(key string) bool) (tree any, clean bool) {
	tree, err := treeOf(v)
	if err != nil {
		return redact.Hidden, false
	}
	before := resolve.Canonical(tree)
	tree, _ = r.Value(tree, own)
	return tree, resolve.Canonical(tree) == before
}
