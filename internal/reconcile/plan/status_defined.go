package plan

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// mostSummed is what the expressions of all definitions together may cost when a status is shown.
const mostSummed = 20_000_000

// shown are the objects whose status is known so far, for the definitions that show them.
type shown struct {
	byKey map[manifest.Key]*ObjectStatus
	parts map[manifest.Key]map[string][]manifest.Key // of objects of defined kinds, by what the definition calls them
	trees map[manifest.Key]any                       // of those that others make: one may be shown with many
	left  *int
}

func newShown() shown {
	left := mostSummed
	return shown{map[manifest.Key]*ObjectStatus{}, map[manifest.Key]map[string][]manifest.Key{}, map[manifest.Key]any{}, &left}
}

// note takes note of an object whose status is known.
func (b statusBuilder) note(o *ObjectStatus, key manifest.Key, want *kind.Desired) {
	b.shown.byKey[key] = o
	if want == nil || want.Definition == nil || want.Definition.ID == "" {
		return
	}
	of := b.shown.parts[want.Parent]
	if of == nil {
		of = map[string][]manifest.Key{}
		b.shown.parts[want.Parent] = of
	}
	of[want.Definition.ID] = append(of[want.Definition.ID], key)
}

// tree is the status of an object as its JSON has it. It is not the caller's to change.
func (s shown) tree(key manifest.Key) any {
	tree, made := s.trees[key]
	if !made {
		tree = treeFrom(s.byKey[key])
		s.trees[key] = tree
	}
	return tree
}

// sum adds what the definition of the object's kind says of its status.
func (b statusBuilder) sum(o *ObjectStatus, want *kind.Desired) {
	k, ok := want.Defined().(kind.Summing)
	if !ok {
		return
	}
	parts := map[string][]any{}
	for id, keys := range b.shown.parts[want.Key] {
		for _, key := range keys {
			parts[id] = append(parts[id], treeFrom(b.shown.byKey[key]))
		}
	}
	for id, key := range want.Definition.External {
		if b.shown.byKey[key] != nil {
			parts[id] = []any{b.shown.tree(key)}
		}
	}
	status, unready := k.Sum(want, parts, func(cost int) bool {
		*b.shown.left -= cost
		return *b.shown.left >= 0
	})
	if status != nil {
		o.Status.Resource = value(b.secrets, status)
	}
	if can := &o.Status.Conditions[0]; unready != "" && can.Status == "True" {
		*can = Condition{Type: can.Type, Status: "False", Reason: reasonProgressing, Message: b.secrets.Text(unready)}
	}
}
