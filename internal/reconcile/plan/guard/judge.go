package guard

import (
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Subject is an object that policies judge, in the state that a plan gives it or leaves it in.
type Subject struct {
	Key    manifest.Key
	Action plan.Action    // "" for an object that only expands into others.
	Fields []string       // the fields that change, including fields that another object's step writes.
	Object map[string]any // the kind, metadata and spec of its manifest, or of the part that was generated for it, without secrets
	Refs   []Reference    // the objects that the names in it refer to
}

// Verdict has the objections of policies to an object, each with the name of its policy. The zero value has none.
type Verdict struct {
	Deny string   // why the object may not be created or changed
	Warn []string // warnings for people
}

// policyField is used in notes in place of a field name.
const policyField = "policy"

// Judge refuses a step if a verdict denies its object, the object that it was expanded from, or another object whose field the step writes.
// Other verdicts become notes. A denied object that exists and is not changed gets a note. Deletions are not judged. verdict is called only
// for kinds for which applies returns true.
func Judge(applies func(kind string) bool, verdict func(Subject) Verdict) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		found, among := judgements(p, applies, verdict)
		if len(found) == 0 {
			return p // a copy of the steps is megabytes
		}
		p.Workloads = slices.Clone(p.Workloads)
		parents := map[manifest.Key]manifest.Key{}
		for i := range p.Workloads {
			w := &p.Workloads[i]
			parents[w.Key] = w.Parent
			if v, ok := found[w.Key]; ok {
				w.Notes = v.notes(w.Notes, v.Deny)
			}
		}
		return p.MapSteps(func(s plan.Step) plan.Step {
			if s.Want == nil {
				return s
			}
			v := found[s.Key]
			if why := denied(s, found, parents, among.writes[s.Key]); why != "" && s.Action.Writes() {
				s.Error, s.Notes = true, v.notes(s.Notes, "")
				return s.WithAction(plan.Refuse, cause.Of(cause.Policy, why))
			}
			s.Notes = v.notes(s.Notes, v.Deny)
			return s
		})
	}
}

// denied says why a step may not be carried out. The denied object may be the step's own, one that it was expanded from, or one of the
// others whose fields the step writes.
func denied(s plan.Step, found map[manifest.Key]Verdict, parents map[manifest.Key]manifest.Key, others []manifest.Key) string {
	if s.Action == plan.Delete || s.Action == plan.Detach {
		return ""
	}
	for _, key := range append([]manifest.Key{s.Key}, others...) {
		if why := found[key].Deny; why != "" {
			return why
		}
		if key == s.Key {
			key = s.Parent
		} else {
			key = parents[key]
		}
		for n := 0; key != (manifest.Key{}) && n <= len(parents); key, n = parents[key], n+1 {
			if why := found[key].Deny; why != "" {
				return why
			}
		}
	}
	return ""
}

// notes adds the warnings to the notes of an object, and the reason denied unless it is "".
func (v Verdict) notes(notes []kind.Note, denied string) []kind.Note {
	said := v.Warn
	if denied != "" {
		said = append(slices.Clone(said), denied)
	}
	if len(said) == 0 {
		return notes
	}
	notes = slices.Clone(notes)
	for _, text := range said {
		notes = append(notes, kind.Note{Field: policyField, Text: text})
	}
	return notes
}

// judgements returns the verdicts with an objection.
func judgements(p plan.Plan, applies func(kind string) bool, verdict func(Subject) Verdict) (found map[manifest.Key]Verdict, related relations) {
	found, related = map[manifest.Key]Verdict{}, relationsOf(p)
	var specs func(manifest.Key) any
	var labels map[manifest.Key]map[string]string
	judge := func(key manifest.Key, want *kind.Desired, s Subject) {
		if want == nil || !applies(key.Kind) {
			return
		}
		if specs == nil {
			specs, labels = p.Specs(), p.Labels()
		}
		s.Key, s.Object, s.Refs = key, subjectOf(key, want, labels[key], specs(key)), related.references(key)
		if v := verdict(s); v.Deny != "" || len(v.Warn) > 0 {
			found[key] = v
		}
	}
	for i := range p.Workloads {
		judge(p.Workloads[i].Key, p.Workloads[i].Want, Subject{})
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Surplus || s.Action == plan.Delete || s.Action == plan.Detach {
			continue
		}
		action, fields := s.Action, slices.Clone(related.written[s.Key])
		if len(fields) > 0 && !action.Writes() {
			action = plan.Update
		}
		for _, c := range s.Changes {
			fields = append(fields, c.Field)
		}
		judge(s.Key, s.Want, Subject{Action: action, Fields: fields})
	}
	return found, related
}

func subjectOf(key manifest.Key, want *kind.Desired, labels map[string]string, spec any) map[string]any {
	metadata := map[string]any{"name": key.Name, "namespace": key.Namespace, "labels": toAnyMap(labels), "annotations": map[string]any{}}
	if want.Object != nil {
		metadata["annotations"] = toAnyMap(want.Object.Annotations)
	}
	if spec == nil {
		spec = map[string]any{}
	}
	return map[string]any{"kind": key.Kind, "metadata": metadata, "spec": document.SpellOut(want, spec)}
}

// toAnyMap converts the type of a map.
func toAnyMap(values map[string]string) map[string]any {
	all := make(map[string]any, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all[name] = values[name]
	}
	return all
}
