package plan

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Redacted takes secrets out of everything in a plan that people and programs get
// to see: names, descriptions and messages in the cloud are what others wrote.
func (p Plan) Redacted(r *redact.Redactor) Plan {
	p = p.mapSteps(func(s Step) Step { return s.redacted(r) })
	p.Unlisted = texts(r, p.Unlisted)
	p.Workloads = slices.Clone(p.Workloads)
	for i := range p.Workloads {
		p.Workloads[i].Notes = notes(r, p.Workloads[i].Notes)
	}
	p.secrets = r
	return p
}

func (s Step) redacted(r *redact.Redactor) Step {
	s.secrets = r
	s.Reason = r.Text(s.Reason)
	if s.want == nil {
		s.Key.Name = r.Text(s.Key.Name) // the name in the cloud, when its mark does not say
	}
	s.Blockers, s.Notes = texts(r, s.Blockers), notes(r, s.Notes)
	if s.Names != nil {
		s.Names, _ = value(r, s.Names).(map[string]string)
	}
	s.Changes, s.Ignored, s.aside = changes(r, s.Changes), changes(r, s.Ignored), changes(r, s.aside)
	if s.upkeep != nil {
		s.upkeep = &kind.Upkeep{Due: changes(r, s.upkeep.Due), Next: s.upkeep.Next, Overdue: r.Text(s.upkeep.Overdue)}
	}
	return s
}

func changes(r *redact.Redactor, list []kind.Change) []kind.Change {
	list = slices.Clone(list)
	for i, c := range list {
		list[i].Have, list[i].Want = value(r, c.Have), value(r, c.Want)
	}
	return list
}

// ShownID is the object's identifier in the cloud, "" when there is none, for
// people: a cloud might repeat a secret even there.
func (s Step) ShownID() string { return s.secrets.Text(s.ID()) }

func texts(r *redact.Redactor, list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = r.Text(list[i])
	}
	return list
}

func notes(r *redact.Redactor, list []kind.Note) []kind.Note {
	list = slices.Clone(list)
	for i := range list {
		list[i].Text = r.Text(list[i].Text)
	}
	return list
}

// value takes secrets out of a value. It keeps its type, unless there is
// anything to take out of one of a type that we do not know.
func value(r *redact.Redactor, v any) any {
	switch v := v.(type) {
	case nil, bool, int, float64, json.Number:
		return v
	case string:
		return r.Text(v)
	case []string:
		return texts(r, v)
	case []any:
		v = slices.Clone(v)
		for i := range v {
			v[i] = value(r, v[i])
		}
		return v
	case map[string]string:
		out := make(map[string]string, len(v))
		for key := range v {
			out[r.Text(key)] = r.Text(v[key])
		}
		return out
	case map[string]any:
		out := maps.Clone(v)
		clear(out)
		for key := range v {
			out[r.Text(key)] = value(r, v[key])
		}
		return out
	}
	if r.None() {
		return v
	}
	tree, clean := treeWithout(r, v)
	if clean {
		return v
	}
	return tree
}

// treeWithout is a value as its JSON, without secrets. clean is true when there
// were none.
func treeWithout(r *redact.Redactor, v any) (tree any, clean bool) {
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
	tree = value(r, tree)
	return tree, resolve.Canonical(tree) == before
}
