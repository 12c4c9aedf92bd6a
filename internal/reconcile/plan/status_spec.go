package plan

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Specs says what the manifest of an object says, or, of one that another stands for,
// what was derived for it; secrets are redacted. It says nil when nothing is wanted.
func (p Plan) Specs() func(key manifest.Key) any {
	wants := map[manifest.Key]*kind.Desired{}
	for _, w := range p.Workloads {
		wants[w.Key] = w.want
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.want != nil {
			wants[s.Key] = s.want
		}
	}
	return func(key manifest.Key) any {
		d := wants[key]
		if d == nil || d.Data != nil {
			return nil
		}
		c := comparison{secrets: p.secrets}
		tree, _ := c.show(specTree(d))
		return value(p.secrets, tree, always)
	}
}

// specTree is the spec as a tree, sealed. The text of an object that no file holds
// is gone once it was read, so there it is what it was read into.
func specTree(d *kind.Desired) any {
	if written(d) && d.Object != nil && d.Body.Is() {
		return document(d)["spec"]
	}
	tree := map[string]any{}
	if d.Import != nil {
		tree["import"] = importTree(d.Import)
	}
	if d.Spec == nil {
		return tree
	}
	spec := treeFrom(d.Spec)
	seal(spec, reflect.TypeOf(d.Spec))
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
	filter := treeFrom(i.Filter)
	seal(filter, reflect.TypeOf(i.Filter))
	return map[string]any{"filter": filter}
}

// treeFrom is a value as its JSON has it; nil when it has none.
func treeFrom(v any) (tree any) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&tree) != nil {
		return nil
	}
	return tree
}

// Redact is what may be shown of a text that has to do with the plan.
func (p Plan) Redact(text string) string { return p.secrets.Text(text) }

// Redactor is [Plan.Redact] for who does not keep the plan.
func (p Plan) Redactor() func(text string) string { return p.secrets.Text }
