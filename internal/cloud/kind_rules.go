package cloud

import (
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// tableRules are the rules of a kind as its table has them, over any state that holds
// an object of the table. The functions, each of which may be nil, add what is
// particular.
type tableRules[Spec, Filter, More, State any] struct {
	fields   *table.Table[Spec, More]
	object   func(*State) *table.Object[Spec, More]
	name     func(string, kind.Mark) string
	validate func(*Spec, *kind.Report)
	expand   func(*Spec, *kind.Expansion)
	diff     func(kind.Want[Spec], *State, *kind.Changes)
	match    func(kind.Want[Filter], *State) bool
	show     func(*State, table.Shown)
	// addresses are those that people look for.
	addresses func(*State) []string
}

// Name implements kind.Rules.
func (r tableRules[Spec, Filter, More, State]) Name(w kind.Want[Spec]) string {
	if r.name != nil {
		return r.name(r.fields.Name(w), w.Mark)
	}
	return r.fields.Name(w)
}

// Validate implements kind.Rules.
func (r tableRules[Spec, Filter, More, State]) Validate(s *Spec, report *kind.Report) {
	if r.validate != nil {
		r.validate(s, report)
	}
}

// Expand implements kind.Expander.
func (r tableRules[Spec, Filter, More, State]) Expand(s *Spec, e *kind.Expansion) {
	if r.expand != nil {
		r.expand(s, e)
	}
}

// Diff implements kind.Rules.
func (r tableRules[Spec, Filter, More, State]) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	if r.diff != nil {
		r.diff(w, have, c)
	}
	r.fields.Compare(w, r.object(have), c)
}

// Match implements kind.Rules.
func (r tableRules[Spec, Filter, More, State]) Match(w kind.Want[Filter], have *State) bool {
	return (r.match == nil || r.match(w, have)) && r.object(have).Match(w.Spec, w.Ref)
}

// Status implements kind.Rules.
func (r tableRules[Spec, Filter, More, State]) Status(s *State) any {
	shown, object := table.Shown{}, r.object(s)
	table.Show(&object.Spec, shown)
	table.Show(&object.More, shown)
	if r.show != nil {
		r.show(s, shown)
	}
	if r.addresses != nil {
		return shown.At(r.addresses(s))
	}
	return shown
}
