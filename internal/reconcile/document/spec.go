package document

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Spec returns the spec of an object's manifest. For an object that another one expands into, it is the spec that was derived.
// Secrets are redacted. Spec returns nil when nothing is wanted, and for objects that carry data for others.
func Spec(d *kind.Desired, secrets *redact.Redactor) any {
	if d == nil || d.Data != nil {
		return nil
	}
	c := comparison{secrets: secrets}
	tree, _ := c.show(specTree(d))
	return Redact(secrets, tree, EveryKey)
}

// specTree returns the spec as a tree, sealed. An object that no file holds has
// no text any more once it was read. There the tree is made from the Go value.
func specTree(d *kind.Desired) any {
	if written(d) && d.Object != nil && d.Body.Is() {
		return whole(d)["spec"]
	}
	tree := map[string]any{}
	if d.Import != nil {
		tree["import"] = importTree(d.Import)
	}
	if d.Spec == nil {
		return tree
	}
	spec := sealedTree(d.Spec)
	if below, ok := strings.CutPrefix(d.SpecPath, "spec."); ok {
		tree[below] = spec
		return tree
	}
	return spec
}

func importTree(i *kind.Import) any {
	if i.Filter == nil {
		return map[string]any{"id": i.ID}
	}
	return map[string]any{"filter": sealedTree(i.Filter)}
}
