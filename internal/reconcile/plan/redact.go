package plan

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Redacted takes secrets out of everything in a plan that people and programs get
// to see: names, descriptions and messages in the cloud are what others wrote.
func (p Plan) Redacted(r *redact.Redactor) Plan {
	p = p.mapSteps(func(s Step) Step { return s.redacted(r) })
	p.Unlisted = r.Texts(p.Unlisted)
	p.Workloads = slices.Clone(p.Workloads)
	for i := range p.Workloads {
		p.Workloads[i].Notes = notes(r, p.Workloads[i].Notes)
	}
	p.secrets = r
	return p
}

func (s Step) redacted(r *redact.Redactor) Step {
	s.secrets = r
	s.Causes, s.Turn = s.Causes.Map(r.Text), s.Turn.Map(r.Text)
	if s.want == nil && s.have != nil && s.Key.Name == s.have.Name {
		s.Key.Name = r.Text(s.Key.Name) // the name in the cloud: its mark does not say
	}
	s.Blockers, s.Notes = r.Texts(s.Blockers), notes(r, s.Notes)
	s.Names, _ = value(r, s.Names, nil).(map[string]string)
	s.Changes, s.Ignored, s.aside = changes(r, s.Changes), changes(r, s.Ignored), changes(r, s.aside)
	if s.upkeep != nil {
		s.upkeep = &kind.Upkeep{Due: changes(r, s.upkeep.Due), Next: s.upkeep.Next, Overdue: r.Text(s.upkeep.Overdue)}
	}
	return s
}

func changes(r *redact.Redactor, list []kind.Change) []kind.Change {
	list = slices.Clone(list)
	for i, c := range list {
		list[i].Have, list[i].Want = value(r, c.Have, nil), value(r, c.Want, nil)
	}
	return list
}

// ShownID is the object's identifier in the cloud, "" when there is none, for
// people: a cloud might repeat a secret even there.
func (s Step) ShownID() string { return s.secrets.Text(s.ID()) }

func notes(r *redact.Redactor, list []kind.Note) []kind.Note {
	list = slices.Clone(list)
	for i := range list {
		list[i].Text = r.Text(list[i].Text)
	}
	return list
}

// value takes secrets out of a value. It keeps its type, unless there is
// anything to take out of one of a type that we do not know. Names of that type's
// fields stay, and so does what else own takes for ours.
func value(r *redact.Redactor, v any, own func(key string) bool) any {
	if r.None() {
		return v
	}
	if shown, known := r.Value(v, own); known {
		return shown
	}
	fields := map[string]bool{}
	kind.FieldNames(reflect.TypeOf(v), fields)
	tree, clean := treeWithout(r, v, func(key string) bool { return fields[key] || own != nil && own(key) })
	if clean {
		return v
	}
	return tree
}

// always takes every key for ours: those that kinds write, and definitions.
func always(string) bool { return true }

// treeWithout is a value as its JSON, without secrets. clean is true when there
// were none.
func treeWithout(r *redact.Redactor, v any, own func(key string) bool) (tree any, clean bool) {
	text, err := json.Marshal(v)
	if err != nil {
		return redact.Hidden, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&tree) != nil {
		return redact.Hidden, false
	}
	before := resolve.Canonical(tree)
	tree, _ = r.Value(tree, own)
	return tree, resolve.Canonical(tree) == before
}
