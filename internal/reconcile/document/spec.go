package document

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Spec says what the manifest of an object says, or, of one that another stands for, what was derived for it; secrets are redacted.
// It says nil when nothing is wanted, and of what carries data for others.
func Spec(d *kind.Desired, secrets *redact.Redactor) any {
	if d == nil || d.Data != nil {
		return nil
	}
	c := comparison{secrets: secrets}
	tree, _ := c.show(specTree(d))
	return Redact(secrets, tree, EveryKey)
}

// specTree is the spec as a tree, sealed. The text of an object that no file holds
// is gone once it was read, so there it is what it was read into.
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
