package status

import (
	"cmp"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// maxCost is the limit for the cost of the expressions of all definitions in one status.
const maxCost = 20_000_000

// knownStatuses contains the objects whose status is known so far, for the definitions that show them.
type knownStatuses struct {
	byKey  map[manifest.Key]*Object
	parts  map[manifest.Key]map[string][]placedPart // the parts of objects of defined kinds, by their names in the definition.
	trees  map[manifest.Key]any                     // the JSON of objects that a definition shows and does not create (Definition.External), since many objects may show the same one.
	budget *int                                     // the unused rest of maxCost
}

// placedPart is an object from a definition's template, and its position among the objects from that template.
type placedPart struct {
	key   manifest.Key
	place int
}

func newKnownStatuses() knownStatuses {
	left := maxCost
	return knownStatuses{map[manifest.Key]*Object{}, map[manifest.Key]map[string][]placedPart{}, map[manifest.Key]any{}, &left}
}

// note records an object whose status is known.
func (s knownStatuses) note(o *Object, key manifest.Key, want *kind.Desired) {
	s.byKey[key] = o
	if want == nil || want.Definition == nil || want.Definition.ID == "" {
		return
	}
	of := s.parts[want.Parent]
	if of == nil {
		of = map[string][]placedPart{}
		s.parts[want.Parent] = of
	}
	of[want.Definition.ID] = append(of[want.Definition.ID], placedPart{key, want.Definition.Place})
}

// tree returns the status of an object in the form of its JSON. Callers must not change it.
func (s knownStatuses) tree(key manifest.Key) any {
	tree, made := s.trees[key]
	if !made {
		tree = document.Tree(s.byKey[key])
		s.trees[key] = tree
	}
	return tree
}

// partsOf returns the trees of a defined object's parts, and of the other objects that its definition shows, by their names in the
// definition.
func (s knownStatuses) partsOf(want *kind.Desired) map[string][]any {
	parts := map[string][]any{}
	for id, list := range s.parts[want.Key] {
		list = slices.SortedFunc(slices.Values(list), func(a, b placedPart) int { return cmp.Compare(a.place, b.place) }) // the order of the steps is another one
		for _, p := range list {
			parts[id] = append(parts[id], document.Tree(s.byKey[p.key]))
		}
	}
	for id, key := range want.Definition.External {
		if s.byKey[key] != nil {
			parts[id] = []any{s.tree(key)}
		}
	}
	return parts
}

// spend subtracts the cost of an expression from the rest. It returns false if the limit is exceeded.
func (s knownStatuses) spend(cost int) bool {
	*s.budget -= cost
	return *s.budget >= 0
}

// withDefinition returns the status of a workload with the fields that the definition of its kind adds.
func (w workloads) withDefinition(s Status, want *kind.Desired) Status {
	k := want.Defined()
	if k == nil || k.StatusExpr == nil {
		return s
	}
	resource, unready := k.StatusExpr(want, w.shown.partsOf(want), w.shown.spend)
	if resource != nil {
		s.Resource = document.Redact(w.secrets, resource, document.EveryKey)
	}
	if can := &s.Conditions[0]; unready != "" && can.Status == "True" {
		*can = Condition{Type: can.Type, Status: "False", Reason: ReasonProgressing, Message: w.secrets.Text(unready)}
		s.Message = cmp.Or(s.Message, can.Message)
	}
	return s
}
