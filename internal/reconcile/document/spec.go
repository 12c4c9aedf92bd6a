package document

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Spec returns the spec of an object's manifest, without secrets. If the object is a part of another one, it is the derived spec. Spec
// returns nil if d is nil, and for objects that contain data for others.
func Spec(d *kind.Desired, secrets *redact.Redactor) any {
	if d == nil || d.Data != nil {
		return nil
	}
	c := comparison{secrets: secrets}
	tree, _ := c.show(specTree(d))
	return Redact(secrets, tree, EveryKey)
}

// specTree returns the spec as a tree with sealed secrets. An object that is in no file has lost its text after decoding, so its tree is
// made from the Go value.
func specTree(d *kind.Desired) any {
	if written(d) && d.Object != nil && d.Body.Is() {
		return effectiveTree(d)["spec"]
	}
	tree := map[string]any{}
	if d.Import != nil {
		tree["import"] = importTree(d.Import)
	}
	if d.Spec == nil {
		return tree
	}
	spec := sealedTree(d.Spec)
	confidential.Leaves(d.Spec, d.SpecPath, func(field, text string) {
		if below, ok := strings.CutPrefix(field, d.SpecPath); ok && d.Encrypts(field) {
			spec = sealAt(spec, manifest.Steps(below), text)
		}
	})
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
