package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Redacted removes secrets from everything in a plan that people and programs see. Names, descriptions and messages in the cloud may
// contain secrets, since anybody can write them.
func (p Plan) Redacted(r *redact.Redactor) Plan {
	p = p.MapSteps(func(s Step) Step { return s.redacted(r) })
	p.Unlisted, p.Refused = r.Texts(p.Unlisted), r.Texts(p.Refused)
	p.Workloads = slices.Clone(p.Workloads)
	for i := range p.Workloads {
		p.Workloads[i].Notes = notes(r, p.Workloads[i].Notes)
	}
	p.Secrets = r
	return p
}

func (s Step) redacted(r *redact.Redactor) Step {
	s.Secrets = r
	s.Causes, s.Turn = s.Causes.Map(r.Text), s.Turn.Map(r.Text)
	if s.Want == nil && s.Have != nil && s.Key.Name == s.Have.Name {
		s.Key.Name = r.Text(s.Key.Name) // without a manifest, Key may have the name that the object has in the cloud
	}
	s.Blockers, s.Notes = r.Texts(s.Blockers), notes(r, s.Notes)
	s.Names, _ = document.Redact(r, s.Names, nil).(map[string]string)
	s.Changes, s.Ignored, s.Uncounted = changes(r, s.Changes), changes(r, s.Ignored), changes(r, s.Uncounted)
	if s.Upkeep != nil {
		s.Upkeep = &kind.Upkeep{Due: changes(r, s.Upkeep.Due), Next: s.Upkeep.Next, Overdue: r.Text(s.Upkeep.Overdue)}
	}
	return s
}

func changes(r *redact.Redactor, list []kind.Change) []kind.Change {
	list = slices.Clone(list)
	for i, c := range list {
		list[i].Have, list[i].Want = document.Redact(r, c.Have, nil), document.Redact(r, c.Want, nil)
	}
	return list
}

// ShownID returns the object's ID in the cloud for people, or "" if there is none. Secrets are removed even from the ID, in case a
// cloud repeats one there.
func (s Step) ShownID() string { return s.Secrets.Text(s.ID()) }

func notes(r *redact.Redactor, list []kind.Note) []kind.Note {
	list = slices.Clone(list)
	for i := range list {
		list[i].Text = r.Text(list[i].Text)
	}
	return list
}

// Specs returns a function that finds the spec in the manifest of an object, see [document.Spec].
func (p Plan) Specs() func(key manifest.Key) any {
	wants := map[manifest.Key]*kind.Desired{}
	for _, w := range p.Workloads {
		wants[w.Key] = w.Want
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Want != nil {
			wants[s.Key] = s.Want
		}
	}
	return func(key manifest.Key) any { return document.Spec(wants[key], p.Secrets) }
}
