package plan

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// mostSummed is what the expressions of all definitions together may cost when a status is shown.
const mostSummed = 20_000_000

// shown are the objects whose status is known so far, for the definitions that show them.
type shown struct {
	byKey map[manifest.Key]*ObjectStatus
	parts map[manifest.Key]map[string][]placed // of objects of defined kinds, by what the definition calls them
	trees map[manifest.Key]any                 // of those that others make: one may be shown with many
	left  *int
}

// placed is an object that a definition's template made, and where it stands among those.
type placed struct {
	key   manifest.Key
	place int
}

func newShown() shown {
	left := mostSummed
	return shown{map[manifest.Key]*ObjectStatus{}, map[manifest.Key]map[string][]placed{}, map[manifest.Key]any{}, &left}
}

// note takes note of an object whose status is known.
func (b statusBuilder) note(o *ObjectStatus, key manifest.Key, want *kind.Desired) {
	b.shown.byKey[key] = o
	if want == nil || want.Definition == nil || want.Definition.ID == "" {
		return
	}
	of := b.shown.parts[want.Parent]
	if of == nil {
		of = map[string][]placed{}
		b.shown.parts[want.Parent] = of
	}
	of[want.Definition.ID] = append(of[want.Definition.ID], placed{key, want.Definition.Place})
}

// tree is the status of an object as its JSON has it. It is not the caller's to change.
func (s shown) tree(key manifest.Key) any {
	tree, made := s.trees[key]
	if !made {
		tree = document.Tree(s.byKey[key])
		s.trees[key] = tree
	}
	return tree
}

// sum adds what the definition of the object's kind says of its status.
func (b statusBuilder) sum(o *ObjectStatus, want *kind.Desired) {
	k := want.Defined()
	if k == nil || k.StatusExpr == nil {
		return
	}
	parts := map[string][]any{}
	for id, list := range b.shown.parts[want.Key] {
		slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.place, b.place) }) // and not in the order of steps
		for _, p := range list {
			parts[id] = append(parts[id], document.Tree(b.shown.byKey[p.key]))
		}
	}
	for id, key := range want.Definition.External {
		if b.shown.byKey[key] != nil {
			parts[id] = []any{b.shown.tree(key)}
		}
	}
	status, unready := k.StatusExpr(want, parts, func(cost int) bool {
		*b.shown.left -= cost
		return *b.shown.left >= 0
	})
	if status != nil {
		o.Status.Resource = document.Redact(b.secrets, status, document.EveryKey)
	}
	if can := &o.Status.Conditions[0]; unready != "" && can.Status == "True" {
		*can = Condition{Type: can.Type, Status: "False", Reason: ReasonProgressing, Message: b.secrets.Text(unready)}
		o.Status.Message = cmp.Or(o.Status.Message, can.Message)
	}
}

// shownFirst is a list of workloads in which each comes after those that its definition shows, and their parts, as far as
// they do not show it in turn.
func shownFirst(list []Workload) []Workload {
	byKey, parts := map[manifest.Key]Workload{}, map[manifest.Key][]Workload{}
	for _, w := range list {
		byKey[w.Key] = w
		parts[w.Parent] = append(parts[w.Parent], w)
	}
	out, begun := make([]Workload, 0, len(list)), map[manifest.Key]bool{}
	var take func(w Workload)
	take = func(w Workload) {
		if begun[w.Key] {
			return
		}
		begun[w.Key] = true
		for _, p := range parts[w.Key] {
			take(p)
		}
		if w.want.Defined() != nil {
			external := w.want.Definition.External
			for _, id := range slices.Sorted(maps.Keys(external)) {
				if other, ok := byKey[external[id]]; ok {
					take(other)
				}
			}
		}
		out = append(out, w)
	}
	for _, w := range list {
		take(w)
	}
	return out
}
