package comment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report"
)

// grade is where in a comment an object stands, the first first.
type grade int

const (
	destroyed grade = iota
	refused
	altered
	created
	waiting
	drifted
)

var headings = [...]string{
	destroyed: "Deleted, replaced or wiped",
	refused:   "Not possible",
	altered:   "Changed",
	created:   "Created",
	waiting:   "Waiting",
	drifted:   "Changed in the cloud, and only reported",
}

func gradeOf(s reconcile.Step) grade {
	switch {
	case s.Disruption() >= reconcile.Rebuild:
		return destroyed
	case s.Action == reconcile.Refuse || s.Error:
		return refused
	case s.Action == reconcile.Update:
		return altered
	case s.Action == reconcile.Create:
		return created
	case s.Action == reconcile.Wait:
		return waiting
	}
	return drifted
}

// object is what becomes of one object of the repository.
type object struct {
	key    manifest.Key
	origin manifest.Origin
	grade  grade
	steps  []reconcile.Step // what is worth reading, gravest first
	notes  []reconcile.Note // that belong to no step
}

// objects are those of a plan that people need to read about, by grade.
func objects(p reconcile.Plan) map[grade][]object {
	list := map[grade][]object{}
	for _, g := range report.Groups(p) {
		o := object{key: g.Root, origin: g.Origin, notes: g.Notes}
		if g.Own != nil {
			o.steps = append(o.steps, *g.Own)
		}
		o.steps = slices.DeleteFunc(append(o.steps, g.Children...), report.Silent)
		if len(o.steps) == 0 {
			continue
		}
		slices.SortStableFunc(o.steps, func(a, b reconcile.Step) int { return int(gradeOf(a)) - int(gradeOf(b)) })
		o.grade = gradeOf(o.steps[0])
		list[o.grade] = append(list[o.grade], o)
	}
	return list
}

// alone tells whether the object has the one step that is its own.
func (o object) alone() bool { return len(o.steps) == 1 && o.steps[0].Key == o.key }

// short tells whether a line says all.
func (o object) short() bool {
	return o.alone() && len(o.steps[0].Changes)+len(o.steps[0].Notes)+len(o.notes) == 0
}

// title is the object's line where no Markdown is read.
func (o object) title() string {
	if o.alone() {
		return codeHTML(o.key.String()) + ": " + titled(o.steps[0], inHTML())
	}
	text := whole(o.steps, inHTML())
	if reason := why(o.steps[0]); o.grade == refused && reason != "" {
		text += ": " + quoteHTML(reason)
	}
	return codeHTML(o.key.String()) + ": " + text
}

// whole is what becomes of what an object stands for.
func whole(steps []reconcile.Step, in style) string {
	part := reconcile.Plan{Steps: steps}
	return brief(part) + lost(part, reconcile.Recreate, in) + lost(part, reconcile.Delete, in) + shaken(part)
}

// line is the object where a line says all.
func (o object) line() string {
	return "- " + code(o.key.String()) + at(o.origin) + ": " + said(o.steps[0], inMarkdown())
}

// details is the object, folded.
func (o object) details() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n", o.title())
	if text := place(o.origin); text != "" {
		fmt.Fprintf(&b, "Written in %s.\n\n", code(text))
	}
	for _, n := range o.notes {
		b.WriteString(note(n))
	}
	var plain []reconcile.Step
	for _, s := range o.steps {
		if !o.alone() && len(s.Changes)+len(s.Notes) == 0 {
			plain = append(plain, s)
			continue
		}
		if !o.alone() {
			fmt.Fprintf(&b, "%s: %s\n\n", code(s.Key.String()), titled(s, inMarkdown()))
		}
		b.WriteString(step(s))
	}
	b.WriteString(lines(plain))
	b.WriteString("</details>\n\n")
	return b.String()
}

func step(s reconcile.Step) string {
	text := ""
	if len(s.Changes) > 0 {
		text = diff(s.Changes) + "\n\n"
	}
	for _, n := range s.Notes {
		text += note(n)
	}
	return text
}

func note(n reconcile.Note) string {
	return "Note: " + code(n.Field) + " " + quote(n.Text) + "\n\n"
}

// lines are steps of which there is little to say, those that say the same
// together.
func lines(steps []reconcile.Step) string {
	const together = 20
	var order []string
	same := map[string][]string{}
	for _, s := range steps {
		text := said(s, inMarkdown())
		if same[text] == nil {
			order = append(order, text)
		}
		same[text] = append(same[text], code(s.Key.String()))
	}
	var b strings.Builder
	for _, text := range order {
		for keys := range slices.Chunk(same[text], together) {
			fmt.Fprintf(&b, "- %s: %s\n", strings.Join(keys, ", "), text)
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// openLines is how many lines a section shows before it folds them.
const openLines = 25

// section is all objects of one grade.
func section(g grade, list []object) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#### %s\n\n", headings[g])
	var short []object
	for _, o := range list {
		if o.short() {
			short = append(short, o)
			continue
		}
		b.WriteString(o.details())
	}
	if len(short) > openLines {
		fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n", census(short))
	}
	for _, o := range short {
		b.WriteString(o.line() + "\n")
	}
	if len(short) > openLines {
		b.WriteString("\n</details>\n")
	}
	if len(short) > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// census counts objects by kind, the most first.
func census(list []object) string {
	count := map[string]int{}
	for _, o := range list {
		count[o.key.Kind]++
	}
	kinds := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		if n := count[b] - count[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", count[kind], codeHTML(kind))
	}
	return listed(kinds)
}
