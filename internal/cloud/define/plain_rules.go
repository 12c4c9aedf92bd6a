package define

import (
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// plainRules are the rules of a kind as its table has them, and what its functions add.
type plainRules[Spec, Filter, More any] struct {
	of     PlainKind[Spec, Filter, More]
	fields *table.Table[Spec, More]
}

// Name implements kind.Rules.
func (r *plainRules[Spec, Filter, More]) Name(w kind.Want[*Spec]) string {
	if r.of.Name != nil {
		return r.of.Name(w, r.fields.Name(w))
	}
	return r.of.Mark.Name(r.fields.Name(w), w.Mark)
}

// Validate implements kind.Rules.
func (r *plainRules[Spec, Filter, More]) Validate(s *Spec, report *kind.Report) {
	sharesIn(s).validate(report)
	if r.of.Validate != nil {
		r.of.Validate(s, report)
	}
}

// Expand implements kind.Expander.
func (r *plainRules[Spec, Filter, More]) Expand(s *Spec, e *kind.Expansion) {
	if r.of.Expand != nil {
		r.of.Expand(s, e)
	}
}

// Diff implements kind.Rules.
func (r *plainRules[Spec, Filter, More]) Diff(w kind.Want[*Spec], have *PlainState[Spec, More], c *kind.Changes) {
	diffProject(w, have.Project, c)
	if r.of.Diff != nil {
		r.of.Diff(w, have, c)
	}
	r.fields.Compare(w, &have.Object, c)
	sharesIn(w.Spec).diff(sharesIn(&have.Spec), w.Ref, c)
	r.fields.Offer(w, &have.Object, c)
}

// Match implements kind.Rules.
func (r *plainRules[Spec, Filter, More]) Match(w kind.Want[*Filter], have *PlainState[Spec, More]) bool {
	if f, ok := any(w.Spec).(projectFilter); ok && !f.MatchProject(have.Project, w.Ref) {
		return false
	}
	return (r.of.Match == nil || r.of.Match(w.Spec, have)) && have.Match(w.Spec, w.Ref)
}

// Export implements kind.Exporter.
func (r *plainRules[Spec, Filter, More]) Export(s *PlainState[Spec, More], e *kind.Export) *Spec {
	spec := r.fields.Manifest(&s.Object, e.Name)
	if r.of.Export != nil {
		r.of.Export(s, spec, e)
	}
	return spec
}

// Status implements kind.Rules.
func (r *plainRules[Spec, Filter, More]) Status(s *PlainState[Spec, More]) any {
	shown := s.Shown()
	sharesIn(&s.Spec).show(shown)
	if r.of.Show != nil {
		r.of.Show(s, shown)
	}
	if r.of.Addresses != nil {
		return shown.At(r.of.Addresses(s))
	}
	return shown
}
