package define

import (
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// rules are the rules of a kind as its table has them, and what its functions add.
type rules[Spec, Filter, More any] struct {
	of     Resource[Spec, Filter, More]
	fields *table.Table[Spec, More]
}

// Name implements kind.Rules.
func (r *rules[Spec, Filter, More]) Name(w kind.Want[*Spec]) string {
	switch {
	case r.of.Name != nil:
		return r.of.Name(w, r.fields.Name(w))
	case r.of.labelled():
		return r.fields.Name(w)
	}
	return r.of.Mark.Name(r.fields.Name(w), w.Mark)
}

// Validate implements kind.Rules.
func (r *rules[Spec, Filter, More]) Validate(s *Spec, report *kind.Report) {
	sharesIn(s).validate(report)
	if r.of.Validate != nil {
		r.of.Validate(s, report)
	}
}

// Expand implements kind.Expander.
func (r *rules[Spec, Filter, More]) Expand(s *Spec, e *kind.Expansion) {
	if r.of.Expand != nil {
		r.of.Expand(s, e)
	}
}

// Diff implements kind.Rules.
func (r *rules[Spec, Filter, More]) Diff(w kind.Want[*Spec], have *State[Spec, More], c *kind.Changes) {
	diffProject(w, have.Project, c)
	if r.of.Diff != nil {
		r.of.Diff(w, have, c)
	}
	r.fields.Compare(w, &have.Object, c)
	sharesIn(w.Spec).diff(sharesIn(&have.Spec), w.Ref, c)
	r.fields.Offer(w, &have.Object, c)
}

// Match implements kind.Rules.
func (r *rules[Spec, Filter, More]) Match(w kind.Want[*Filter], have *State[Spec, More]) bool {
	if f, ok := any(w.Spec).(projectFilter); ok && !f.MatchProject(have.Project, w.Ref) {
		return false
	}
	if f, ok := any(w.Spec).(tagFilter); ok && have.Standard != nil && !f.MatchTags(have.Standard.UserTags()) {
		return false
	}
	return (r.of.Match == nil || r.of.Match(w.Spec, have)) && have.Match(w.Spec, w.Ref)
}

// Export implements kind.Exporter.
func (r *rules[Spec, Filter, More]) Export(s *State[Spec, More], e *kind.Export) *Spec {
	spec := r.fields.Manifest(&s.Object, e.Name)
	if r.of.Export != nil {
		r.of.Export(s, spec, e)
	}
	return spec
}

// Status implements kind.Rules.
func (r *rules[Spec, Filter, More]) Status(s *State[Spec, More]) any {
	shown := s.Shown()
	if all := s.Standard; all != nil {
		shown["projectID"], shown["revisionNumber"] = all.ProjectID, all.Revision
		for name, at := range map[string]string{"createdAt": Timestamp(all.CreatedAt), "updatedAt": Timestamp(all.UpdatedAt)} {
			if at != "" {
				shown[name] = at
			}
		}
	}
	return r.particular(s, shown)
}

// particular adds to a status what the kind's functions say.
func (r *rules[Spec, Filter, More]) particular(s *State[Spec, More], shown table.Shown) any {
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
	rules[Spec, struct{}, More]
}

// Name implements kind.Rules.
func (*flatRules[Spec, More]) Name(w kind.Want[*Spec]) string { return w.Key.Name }

// Match implements kind.Rules.
func (*flatRules[Spec, More]) Match(kind.Want[*struct{}], *State[Spec, More]) bool { return false }

// Status implements kind.Rules.
func (r *flatRules[Spec, More]) Status(s *State[Spec, More]) any { return r.particular(s, s.Shown()) }

// projectFilter and tagFilter are the parts of filters that embed [ProjectFilter] and [TagFilter].
type (
	projectFilter interface {
		MatchProject(projectID string, lookup func(kind, name string) kind.Ref) bool
	}
	tagFilter interface{ MatchTags(tags []string) bool }
)
