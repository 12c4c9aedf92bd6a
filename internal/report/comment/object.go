package comment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// grade is the section of a comment in which an object is shown. The sections are in this order.
type grade int

const (
	destroyed grade = iota
	refused
	altered
	created
	detached
	waiting
	drifted
)

var headings = [...]string{
	destroyed: "Deleted, replaced or wiped",
	refused:   "Not possible",
	altered:   "Changed",
	created:   "Created",
	detached:  "Let go",
	waiting:   "Waiting",
	drifted:   "Changed in the cloud, and only reported",
}

func gradeOf(s plan.Step) grade {
	switch {
	case s.Disruption() >= kind.Rebuild:
		return destroyed
	case s.Action == plan.Refuse || s.Error:
		return refused
	case s.Action == plan.Update:
		return altered
	case s.Action == plan.Create:
		return created
	case s.Action == plan.Detach:
		return detached
	case s.Action == plan.Wait:
		return waiting
	}
	return drifted
}

// object is an object of the repository with its steps, or several objects with the same text.
type object struct {
	key    manifest.Key
	origin manifest.Origin
	layers []manifest.Origin // the places in later layers
	grade  grade
	steps  []part      // the worst first; silent steps are left out.
	notes  []kind.Note // the notes that belong to no step.
	more   []object    // all objects, if several have the same text
}

// objects returns the objects of a plan that people need to know about, by grade.
func objects(p plan.Plan) map[grade][]object {
	list := map[grade][]object{}
	for _, g := range report.Groups(p) {
		o := object{key: g.Root, origin: g.Origin, notes: g.Notes}
		if g.Own != nil {
			o.layers = report.Layers(*g.Own)
			g.Children = append([]*plan.Step{g.Own}, g.Children...)
		}
		for _, s := range g.Children {
			if !s.Silent() && !report.Renewal(*s) {
				o.steps = append(o.steps, partOf(*s))
			}
		}
		if len(o.steps) == 0 {
			continue
		}
		slices.SortStableFunc(o.steps, func(a, b part) int { return int(gradeOf(a.Step)) - int(gradeOf(b.Step)) })
		o.grade = gradeOf(o.steps[0].Step)
		list[o.grade] = append(list[o.grade], o)
	}
	return list
}

// isSingleStep reports whether the object has only one step, and this is the step of the object itself.
func (o object) isSingleStep() bool { return len(o.steps) == 1 && o.steps[0].Key == o.key }

// short reports whether one line is enough for the whole text about the object.
func (o object) short() bool {
	return o.isSingleStep() && len(o.more) == 0 && o.steps[0].plain() && len(o.notes) == 0
}

// title returns the line about the object in HTML.
func (o object) title() string {
	name := codeHTML(o.key.String())
	if len(o.more) > 0 {
		name = namesOfKind(o.key.Kind, o.names(), inHTML())
		if !o.isSingleStep() {
			name += ", each"
		}
	}
	return name + ": " + o.effectText(inHTML())
}

// effectText returns the text about what happens to the object.
func (o object) effectText(in style) string {
	if o.isSingleStep() {
		return titleLine(o.steps[0].Step, in)
	}
	text := whole(o.steps, in)
	if reason := reasonText(o.steps[0].Step); o.grade == refused && reason != "" {
		text += ": " + in.quote(reason)
	}
	return text
}

// whole returns the text about what happens to all objects that an object expands to.
func whole(steps []part, in style) string {
	var of plan.Plan
	for _, s := range steps {
		of.Steps = append(of.Steps, s.Step)
	}
	return shortSummary(of) + lossesText(of, plan.Recreate, in) + lossesText(of, plan.Delete, in) + worstEffectText(of)
}

// line returns the whole text about the object as one line.
func (o object) line(in places) string {
	return "- " + code(o.key.String()) + in.after(o.origin, o.layers...) + ": " + effectLine(o.steps[0].Step, inMarkdown())
}

// details returns the text about the object, folded below its title.
func (o object) details(in places) string {
	return fmt.Sprintf("<details><summary>%s</summary>\n\n%s%s</details>\n\n", o.title(), o.filesText(in)+allNames(o.names()), o.body())
}

// filesText says in which files the object's manifests are.
func (o object) filesText(in places) string {
	var list []string
	all := o.more
	if len(all) == 0 {
		all = []object{o}
	}
	for _, one := range all {
		for _, at := range append([]manifest.Origin{one.origin}, one.layers...) {
			if text := in.code(at); text != "" {
				list = append(list, text)
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "Written in " + some(list) + ".\n\n"
}

// body returns the text about the object, without its title and its places.
func (o object) body() string {
	var b strings.Builder
	for _, n := range o.notes {
		b.WriteString(note(n))
	}
	if o.isSingleStep() {
		return b.String() + o.steps[0].text()
	}
	var plain []plan.Step
	var full []part
	for _, s := range o.steps {
		if s.plain() {
			plain = append(plain, s.Step)
		} else {
			full = append(full, s)
		}
	}
	for _, same := range report.Alike(full, part.sign) {
		first := same[0]
		name, all := code(first.Key.String()), ""
		if len(same) > 1 {
			name, all = namesOfKind(first.Key.Kind, namesOf(same), inMarkdown()), allNames(namesOf(same))
			first = first.merge(same)
		}
		fmt.Fprintf(&b, "%s: %s\n\n%s%s", name, titleLine(first.Step, inMarkdown()), all, first.text())
	}
	return b.String() + lines(plain)
}

func note(n kind.Note) string {
	return "Note: " + code(n.Field) + " " + quote(n.Text) + "\n\n"
}

// lines returns a line for each step with little text. Steps with the same text have one line together.
func lines(steps []plan.Step) string {
	const together = 20
	var order []string
	same := map[string][]string{}
	for _, s := range steps {
		text := effectLine(s, inMarkdown())
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

// openLines is the number of lines that a section shows. Further lines are folded.
const openLines = 25

// section returns the text about all objects of one grade.
func section(in places, g grade, list []object) string {
	if len(list) == 0 {
		return ""
	}
	list = mergeEqual(list)
	if g == created && len(list) > openLines {
		for i := range list { // these are too many objects for full details
			list[i] = list[i].withoutValues()
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#### %s\n\n", headings[g])
	var short []object
	for _, o := range list {
		if o.short() {
			short = append(short, o)
			continue
		}
		b.WriteString(o.details(in))
	}
	if len(short) > openLines {
		fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n", countsByKind(short))
	}
	for _, o := range short {
		b.WriteString(o.line(in) + "\n")
	}
	if len(short) > openLines {
		b.WriteString("\n</details>\n")
	}
	if len(short) > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// countsByKind counts objects by kind, the most frequent first.
func countsByKind(list []object) string {
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
