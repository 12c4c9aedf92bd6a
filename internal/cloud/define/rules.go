package define

import (
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

func (d *Driver[Spec, Filter, More]) name(w typed.Want[Spec]) string {
	if d.of.Name != nil {
		return d.of.Name(w, d.fields.Name(w))
	}
	return d.of.Mark.Name(d.fields.Name(w), w.Mark)
}

func (d *Driver[Spec, Filter, More]) validate(s *Spec, report *kind.Report) {
	sharesIn(s).validate(report)
	if d.of.Validate != nil {
		d.of.Validate(s, report)
	}
}

func (d *Driver[Spec, Filter, More]) diff(w typed.Want[Spec], have *State[Spec, More], c *kind.Changes) {
	diffProject(w, have.Project, c)
	if d.of.Diff != nil {
		d.of.Diff(w, have, c)
	}
	d.fields.Compare(w, &have.Object, c)
	sharesIn(w.Spec).diff(sharesIn(&have.Spec), w.Ref, c)
	d.fields.Offer(w, &have.Object, c)
}

func (d *Driver[Spec, Filter, More]) match(w typed.Want[Filter], have *State[Spec, More]) bool {
	if in, ok := any(w.Spec).(projectFilter); ok && !in.MatchProject(have.Project, w.Ref) {
		return false
	}
	if tagged, ok := any(w.Spec).(tagFilter); ok && !tagged.MatchTags(d.tags(&have.Spec)) {
		return false
	}
	return (d.of.Match == nil || d.of.Match(w.Spec, have)) && have.Match(w.Spec, w.Ref)
}

func (d *Driver[Spec, Filter, More]) export(s *State[Spec, More], e *kind.Export) *Spec {
	spec := d.fields.Manifest(&s.Object, e.Name)
	if d.of.Export != nil {
		d.of.Export(s, spec, e)
	}
	return spec
}

func (d *Driver[Spec, Filter, More]) status(s *State[Spec, More]) any {
	shown := s.Shown()
	if s.Standard != nil && !d.of.Flat {
		table.Show(s.Standard, shown)
	}
	if shared := sharesIn(&s.Spec); shared.any() {
		shown["sharedWith"] = shared.SharedWith
	}
	if d.of.Show != nil {
		d.of.Show(s, shown)
	}
	if d.of.Addresses != nil {
		return shown.At(d.of.Addresses(s))
	}
	return shown
}

// projectFilter and tagFilter are the parts of filters that embed [ProjectFilter] and [TagFilter].
type (
	projectFilter interface {
		MatchProject(projectID string, lookup func(kind, name string) kind.Ref) bool
	}
	tagFilter interface{ MatchTags(tags []string) bool }
)
