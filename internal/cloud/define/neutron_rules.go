package define

import (
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// neutronRules are the rules of a kind as its table has them, and what its functions add.
type neutronRules[Spec, Filter, More any] struct {
	of     NeutronKind[Spec, Filter, More]
	fields *table.Table[Spec, More]
}

// Name implements kind.Rules.
func (r *neutronRules[Spec, Filter, More]) Name(w kind.Want[*Spec]) string { return r.fields.Name(w) }

// Validate implements kind.Rules.
func (r *neutronRules[Spec, Filter, More]) Validate(s *Spec, report *kind.Report) {
	sharesIn(s).validate(report)
	if r.of.Validate != nil {
		r.of.Validate(s, report)
	}
}

// Expand implements kind.Expander.
func (r *neutronRules[Spec, Filter, More]) Expand(s *Spec, e *kind.Expansion) {
	if r.of.Expand != nil {
		r.of.Expand(s, e)
	}
}

// Diff implements kind.Rules.
func (r *neutronRules[Spec, Filter, More]) Diff(w kind.Want[*Spec], have *NeutronState[Spec, More], c *kind.Changes) {
	diffProject(w, have.ProjectID, c)
	r.fields.Compare(w, &have.Object, c)
	sharesIn(w.Spec).diff(sharesIn(&have.Spec), w.Ref, c)
	r.fields.Offer(w, &have.Object, c)
}

// Match implements kind.Rules.
func (r *neutronRules[Spec, Filter, More]) Match(w kind.Want[*Filter], have *NeutronState[Spec, More]) bool {
	if f, ok := any(w.Spec).(projectFilter); ok && !f.MatchProject(have.ProjectID, w.Ref) {
		return false
	}
	if f, ok := any(w.Spec).(tagFilter); ok && !f.MatchTags(have.UserTags()) {
		return false
	}
	return have.Match(w.Spec, w.Ref)
}

// Export implements kind.Exporter.
func (r *neutronRules[Spec, Filter, More]) Export(s *NeutronState[Spec, More], e *kind.Export) *Spec {
	spec := r.fields.Manifest(&s.Object, e.Name)
	if r.of.Export != nil {
		r.of.Export(s, spec, e)
	}
	return spec
}

// Status implements kind.Rules.
func (r *neutronRules[Spec, Filter, More]) Status(s *NeutronState[Spec, More]) any {
	shown := s.Shown()
	shown["projectID"], shown["revisionNumber"] = s.ProjectID, s.Revision
	for name, at := range map[string]string{"createdAt": Timestamp(s.CreatedAt), "updatedAt": Timestamp(s.UpdatedAt)} {
		if at != "" {
			shown[name] = at
		}
	}
	return r.particular(s, shown)
}

// particular adds to what status shows what the kind's functions say.
func (r *neutronRules[Spec, Filter, More]) particular(s *NeutronState[Spec, More], shown table.Shown) any {
	sharesIn(&s.Spec).show(shown)
	if r.of.Show != nil {
		r.of.Show(s, shown)
	}
	if r.of.Addresses != nil {
		return shown.At(r.of.Addresses(s))
	}
	return shown
}

// flatRules are those of a kind whose fields stand directly under spec.
type flatRules[Spec, More any] struct {
	neutronRules[Spec, struct{}, More]
}

// Name implements kind.Rules.
func (*flatRules[Spec, More]) Name(w kind.Want[*Spec]) string { return w.Key.Name }

// Match implements kind.Rules.
func (*flatRules[Spec, More]) Match(kind.Want[*struct{}], *NeutronState[Spec, More]) bool {
	return false
}

// Status implements kind.Rules.
func (r *flatRules[Spec, More]) Status(s *NeutronState[Spec, More]) any {
	return r.particular(s, s.Shown())
}

// projectFilter and tagFilter are what [ProjectFilter] and [TagFilter] give to a filter that
// they are embedded in.
type (
	projectFilter interface {
		MatchProject(projectID string, lookup func(kind, name string) kind.Ref) bool
	}
	tagFilter interface{ MatchTags(tags []string) bool }
)
