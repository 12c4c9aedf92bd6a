package document

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Observed returns the state of an object in the cloud, as people may see it. d is the manifest, or nil if there is none. The
// fields that are encrypted in the manifest are hidden, and so are the values that equal an encrypted one.
func Observed(d *kind.Desired, observed any, secrets *redact.Redactor) any {
	if d == nil || len(d.Encrypted) == 0 {
		return Redact(secrets, observed, nil)
	}
	tree, err := treeOf(observed)
	if err != nil {
		return redact.Hidden
	}
	values := map[string]bool{}
	for _, value := range confidential.Encrypted(d) {
		values[value] = true
	}
	tree = hideEqual(tree, values)
	for _, field := range d.Encrypted {
		if below, ok := strings.CutPrefix(field, d.SpecPath); ok {
			tree = hideAt(tree, manifest.Steps(below))
		}
	}
	return Redact(secrets, tree, EveryKey)
}

func hideEqual(tree any, values map[string]bool) any {
	switch node := tree.(type) {
	case nil:
		return nil
	case map[string]any:
		for name, value := range node {
			node[name] = hideEqual(value, values)
		}
		return node
	case []any:
		for i, value := range node {
			node[i] = hideEqual(value, values)
		}
		return node
	}
	if values[fmt.Sprint(tree)] {
		return redact.Hidden
	}
	return tree
}

// hideAt hides the value at a path. In a list, it hides the values of all items, because the cloud may have another order.
func hideAt(tree any, path []string) any {
	switch {
	case tree == nil:
		return nil
	case len(path) == 0:
		return redact.Hidden
	}
	switch node := tree.(type) {
	case map[string]any:
		if value, given := node[path[0]]; given {
			node[path[0]] = hideAt(value, path[1:])
		}
		return node
	case []any:
		for i, value := range node {
			node[i] = hideAt(value, path[1:])
		}
		return node
	}
	return redact.Hidden // the value is a part of a text
}
