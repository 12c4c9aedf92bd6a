package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Text writes for people.
type Text struct {
	W     io.Writer
	Color bool
	// Approve is the command line that carries out a held plan, but for the
	// hash at its end.
	Approve string
	// Binding has every plan say how to carry out exactly that plan.
	Binding bool
}

// Plan writes a plan: one paragraph for each object of the repository that
// something happens to, and the sum of it last.
func (t Text) Plan(p reconcile.Plan, rev source.Revision) {
	var b strings.Builder
	whole := t.W
	t.W = &b
	t.plan(p, rev)
	_, _ = io.WriteString(whole, b.String()) // in one piece: other stacks write, too
}

func (t Text) plan(p reconcile.Plan, rev source.Revision) {
	fmt.Fprintln(t.W, t.bold(heading(p.Stack, rev)))
	airy := true
	for _, g := range Groups(p) {
		g, ok := g.said()
		if !ok {
			continue
		}
		long := g.long()
		if airy || long {
			fmt.Fprintln(t.W)
		}
		t.group(g)
		airy = long
	}
	for _, reason := range p.Unlisted {
		fmt.Fprintf(t.W, "\n%s %s\n", t.paint(red, "!"), Clean("cannot be seen, so nothing is decided about it: "+reason))
	}
	fmt.Fprintln(t.W)
	fmt.Fprintln(t.W, t.bold(sum(p)))
	if p.Held != "" {
		fmt.Fprintf(t.W, "%s %s.\n", t.paint(red, "Held:"), Clean(p.Held))
	}
	if rev.Folder != "" && p.Summary().Writes() > 0 {
		fmt.Fprintf(t.W, "Nothing is carried out from a folder. Once these are the files of the branch, this carries out exactly this plan (%s):\n    %s %s\n", p.Hash(), Clean(t.Approve), p.Hash())
		return
	}
	if p.Held != "" || t.Binding && p.Summary().Writes() > 0 {
		fmt.Fprintf(t.W, "To carry out exactly this plan (%s):\n    %s %s\n", p.Hash(), Clean(t.Approve), p.Hash())
	}
}

func heading(stack string, rev source.Revision) string {
	text := "stack " + stack
	if rev.Commit != "" {
		text += " at " + Short(rev.Commit)
	}
	if rev.Branch != "" && rev.Branch != rev.Commit {
		text += " (" + printable.Name(rev.Branch) + ")"
	}
	if rev.Folder != "" {
		text += ", of the files in " + printable.Name(rev.Folder) + ", not of a commit"
	}
	if rev.Subject != "" {
		text += ": " + rev.Subject
	}
	return Clean(text)
}

// sum is the last line of a plan.
func sum(p reconcile.Plan) string {
	s := p.Summary()
	unchanged := Plural(unchanged(p), "object") + " unchanged"
	if p.InSync() {
		return "In sync; " + unchanged + "."
	}
	text := s.String()
	if s.Writes()+s.Wait+s.Refuse == 0 {
		text = "Nothing to do"
	}
	if n := Reported(p); n > 0 {
		text += fmt.Sprintf(", %d drifted and only reported", n)
	}
	return text + "; " + unchanged + "."
}

func unchanged(p reconcile.Plan) int { return p.Summary().Keep - Reported(p) }

// Reported counts the objects that drifted and are only told of.
func Reported(p reconcile.Plan) int {
	n := 0
	for _, s := range p.Steps {
		if s.Action == reconcile.Keep && len(s.Changes) > 0 {
			n++
		}
	}
	return n
}

func (t Text) group(g Group) {
	indent := ""
	switch {
	case g.Own != nil && !Silent(*g.Own):
		t.step(indent, *g.Own, g.Root)
	default:
		fmt.Fprintf(t.W, "%s  %s\n", t.bold(Clean(g.Root.String())), t.dim(Clean(g.Origin.String())))
	}
	if g.Own != nil || len(g.Children) > 0 {
		indent = "  "
	}
	for _, n := range g.Notes {
		t.note(indent, n)
	}
	for _, s := range g.Children {
		t.step(indent, s, g.Root)
	}
}

func (t Text) step(indent string, s reconcile.Step, root manifest.Key) {
	line := indent + t.paint(colorOf(s), symbol(s)) + " " + Clean(s.Key.String())
	if text := explain(s); text != "" {
		line += "  " + text
	}
	if s.Key == root && s.Origin.File != "" {
		line += "  " + t.dim(Clean(s.Origin.String()))
	}
	fmt.Fprintln(t.W, line)
	indent += strings.Repeat(" ", 4)
	for _, c := range shown(s.Changes) {
		fmt.Fprintln(t.W, indent+change(c))
	}
	for _, n := range s.Notes {
		t.note(indent, n)
	}
}

func (t Text) note(indent string, n reconcile.Note) {
	fmt.Fprintf(t.W, "%s%s %s: %s\n", indent, t.dim("note:"), Clean(n.Field), Clean(n.Text))
}

// Problems writes everything that is wrong with a revision or a configuration.
func (t Text) Problems(problems manifest.Problems) {
	fmt.Fprintln(t.W, problems.Error()) // each a line that is safe to print
	fmt.Fprintf(t.W, "%s; nothing was done\n", Plural(len(problems), "problem"))
}

// Pass writes how a pass ended, after its plan.
func (t Text) Pass(p reconcile.Pass) {
	for _, f := range p.Failures {
		if p.Interrupted {
			break // nothing failed: it was not given the time
		}
		fmt.Fprintf(t.W, "%s %s\n", t.paint(red, "failed:"), failure(f))
	}
	for _, s := range news(p) {
		fmt.Fprint(t.W, "left: ")
		t.step("", s, s.Key)
	}
	fmt.Fprintf(t.W, "%s %s\n", t.bold("stack "+p.Stack+":"), ending(p))
}

// news are the steps that a pass leaves undone and that were not in the plan it
// began with: nobody has read them yet.
func news(p reconcile.Pass) []reconcile.Step {
	if p.Interrupted {
		return nil
	}
	told := map[manifest.Key]reconcile.Action{}
	for _, s := range p.First.Steps {
		told[s.Key] = s.Action
	}
	for _, f := range p.Failures {
		told[f.Key] = "" // whatever it is
	}
	var steps []reconcile.Step
	for _, s := range p.Last.Steps {
		if before, known := told[s.Key]; !Silent(s) && !(known && (before == s.Action || before == "")) {
			steps = append(steps, s)
		}
	}
	return steps
}

func failure(f reconcile.Failure) string {
	text := f.Key.String() + ": " + f.Reason
	if f.Origin.File != "" {
		text = f.Origin.String() + ": " + text
	}
	if n := len(f.Dependents); n > 0 {
		text += fmt.Sprintf(" (%s: %s)", Plural(n, "object")+" waiting for it", someKeys(f.Dependents))
	}
	return Clean(text)
}

func someKeys(keys []manifest.Key) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.String()
	}
	return some(names)
}

// ending is a pass in one line.
func ending(p reconcile.Pass) string {
	text := p.Outcome().String()
	switch {
	case p.Superseded != "":
		text = p.Superseded.Error()
	case p.Interrupted:
		text = "interrupted"
	case p.First.Held != "":
		text = "held, nothing was changed"
	}
	if did := Deeds(p); did != "" {
		text += ": " + did
	}
	return text + " (" + Lasted(p.Took) + ")"
}

// Deeds counts what a pass has done to the cloud.
func Deeds(p reconcile.Pass) string {
	done := map[reconcile.Action]int{}
	for _, r := range p.Results {
		if r.Err == nil {
			done[r.Step.Action]++
		}
	}
	done[reconcile.Create] -= done[reconcile.Recreate] // made anew
	var parts []string
	for _, d := range []struct {
		action reconcile.Action
		word   string
	}{{reconcile.Create, "created"}, {reconcile.Update, "changed"}, {reconcile.Recreate, "replaced"}, {reconcile.Delete, "deleted"}} {
		if n := done[d.action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, d.word))
		}
	}
	return strings.Join(parts, ", ")
}
