package comment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// part is a step together with the values that it sets.
type part struct {
	plan.Step
	values []document.Value
}

func partOf(s plan.Step) part {
	return part{s, slices.DeleteFunc(report.Values(s), report.IsUsual)}
}

// plain reports whether one line is enough for the whole text about the step.
func (s part) plain() bool { return len(s.Changes)+len(s.Notes)+len(s.values)+len(s.Ignored) == 0 }

// text returns the text about the step, without its first line.
func (s part) text() string {
	text := ""
	if changes := withoutMark(s.Changes); len(changes) > 0 {
		text = diff(changes, s.Names) + "\n\n"
	}
	if len(s.values) > 0 {
		text += fenced("", s.createdFields()) + "\n\n"
	}
	if len(s.Ignored) > 0 {
		var fields []string
		for _, c := range s.Ignored {
			fields = append(fields, code(c.Field))
		}
		text += "Ignored (`stackreeve.dev/ignore-fields`): " + some(fields) + ".\n\n"
	}
	for _, n := range s.Notes {
		text += note(n)
	}
	return text
}

// createdFields returns the lines about the fields that a creation sets.
func (s part) createdFields() (out []string) {
	for i, v := range s.values {
		name := report.FieldName(v.Field)
		list, _ := v.Value.([]any)
		switch {
		case i == maxFields:
			return append(out, fmt.Sprintf("… %d more fields", len(s.values)-maxFields))
		case v.Secret:
			out = append(out, name+": (secret, not shown)")
		case len(list) > 1:
			var items []string
			for _, item := range list {
				items = append(items, "  - "+text(item))
			}
			out = append(append(out, name+":"), clipped(items)...)
		default:
			out = append(out, name+": "+text(v.Value))
		}
	}
	return out
}

// sign is the whole text about the step, with a placeholder instead of its name. The name is replaced in the content and not in the markup around
// it, because it may equal a word of Markdown.
func (s part) sign() string {
	if report.Named(s.key() + s.effectText() + s.text()) {
		return "" // unique
	}
	s = s.withPlaceholder(s.Key.Name)
	return s.key() + "\n" + s.effectText() + "\n" + s.text()
}

func (s part) key() string { return s.Key.Kind + "/" + s.Key.Namespace }

// effectText returns the effect and the reason of the step, without the steps that it waits for.
func (s part) effectText() string {
	s.Turn = cause.Cause{}
	return fmt.Sprint(s.Action, s.Disruption(), s.Drift, s.Error) + titleLine(s.Step, inMarkdown())
}

// merge returns one step that represents several with the same sign.
func (s part) merge(same []part) part {
	literal := true // no text depends on the name
	var turn cause.Cause
	for _, one := range same {
		literal = literal && one.text() == s.text() && one.effectText() == s.effectText()
		if !one.Turn.IsZero() {
			turn = one.Turn
		}
	}
	s.Turn = turn
	if !literal {
		s = s.withPlaceholder(s.Key.Name)
	}
	return s
}

// withPlaceholder returns the step with the placeholder instead of a name.
func (s part) withPlaceholder(name string) part {
	former := s.From
	put := func(text string) string {
		return report.WithoutPlaceholders(report.WithPlaceholders(text, name, former))
	}
	s.Key.Name, s.Causes = report.WithPlaceholder(s.Key.Name, name), s.Causes.Map(put)
	s.Changes, s.Ignored = changesWithPlaceholder(s.Changes, put), changesWithPlaceholder(s.Ignored, put)
	s.Blockers, s.Notes = slices.Clone(s.Blockers), slices.Clone(s.Notes)
	for i := range s.Blockers {
		s.Blockers[i] = report.WithPlaceholder(s.Blockers[i], name)
	}
	for i := range s.Notes {
		s.Notes[i].Text = put(s.Notes[i].Text)
	}
	s.Awaits = slices.Clone(s.Awaits)
	for i := range s.Awaits {
		s.Awaits[i].Name = report.WithPlaceholder(s.Awaits[i].Name, name)
	}
	s.values = slices.Clone(s.values)
	for i, v := range s.values {
		s.values[i].Value = valueWithPlaceholder(v.Value, put)
	}
	return s
}

func changesWithPlaceholder(changes []kind.Change, put func(string) string) []kind.Change {
	changes = slices.Clone(changes)
	for i, c := range changes {
		if c.Field == kind.MarkField {
			changes[i].Have, changes[i].Want = nil, nil // never shown
			continue
		}
		changes[i].Have, changes[i].Want = valueWithPlaceholder(c.Have, put), valueWithPlaceholder(c.Want, put)
	}
	return changes
}

func valueWithPlaceholder(v any, put func(string) string) any {
	switch v := v.(type) {
	case string:
		return put(v)
	case []string:
		v = slices.Clone(v)
		for i := range v {
			v[i] = put(v[i])
		}
		return v
	case []any:
		v = slices.Clone(v)
		for i := range v {
			v[i] = valueWithPlaceholder(v[i], put)
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for key := range v {
			out[key] = valueWithPlaceholder(v[key], put)
		}
		return out
	}
	return v
}

// mergeEqual joins all objects with the same text.
func mergeEqual(list []object) (out []object) {
	for _, same := range report.Alike(list, object.sign) {
		o := same[0]
		if len(same) > 1 {
			o = o.withPlaceholder()
			o.more = same
		}
		out = append(out, o)
	}
	return out
}

// sign is the whole text about the object, with a placeholder instead of its name. It is "" if one line is enough for the text, or if the text
// contains the words of the placeholder.
func (o object) sign() string {
	if o.short() || report.Named(o.effectText(inMarkdown())+o.body()) {
		return ""
	}
	own := fmt.Sprint(o.isSingleStep())
	o = o.withPlaceholder()
	return own + o.key.Kind + "/" + o.key.Namespace + "\n" + o.effectText(inMarkdown()) + "\n" + o.body()
}

// withPlaceholder returns the object with the placeholder instead of its name.
func (o object) withPlaceholder() object {
	name := o.key.Name
	o.key.Name = report.WithPlaceholder(o.key.Name, name)
	o.steps, o.notes = slices.Clone(o.steps), slices.Clone(o.notes)
	for i := range o.steps {
		o.steps[i] = o.steps[i].withPlaceholder(name)
	}
	for i := range o.notes {
		o.notes[i].Text = report.WithPlaceholder(o.notes[i].Text, name)
	}
	return o
}

func (o object) withoutValues() object {
	o.steps = slices.Clone(o.steps)
	for i := range o.steps {
		o.steps[i].values = nil
	}
	return o
}

func (o object) names() (names []string) {
	for _, one := range o.more {
		names = append(names, nameOf(one.key))
	}
	return names
}

func namesOf(steps []part) (names []string) {
	for _, s := range steps {
		names = append(names, nameOf(s.Key))
	}
	return names
}

func nameOf(k manifest.Key) string { return strings.TrimPrefix(k.String(), k.Kind+"/") }

// namesOfKind returns the names of several objects of one kind.
func namesOfKind(kind string, names []string, in style) string {
	return fmt.Sprintf("%d %s objects: %s", len(names), in.code(kind), some(coded(report.Ranges(names), in)))
}

// allNames returns the names of all objects, if several leaves some of them out.
func allNames(names []string) string {
	const most = 300
	ranges := report.Ranges(names)
	if len(ranges) <= maxNames {
		return ""
	}
	more := ""
	if len(ranges) > most {
		more = fmt.Sprintf(" and %d more", len(ranges)-most)
		ranges = ranges[:most]
	}
	return "All of them: " + strings.Join(coded(ranges, inMarkdown()), ", ") + more + ".\n\n"
}

func coded(names []string, in style) []string {
	for i, name := range names {
		names[i] = in.code(name)
	}
	return names
}
