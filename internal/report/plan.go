package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Plan writes a plan. Each object of the repository to which something happens has a paragraph, and objects with the same text share one. The last
// line contains the sums, and is followed by the plan's requirements for the cloud.
func (t Text) Plan(p plan.Plan, needs preflight.Findings, rev source.Revision) {
	var b strings.Builder
	whole := t.W
	t.W = &b
	t.plan(p, needs, rev)
	_, _ = io.WriteString(whole, b.String()) // one write, because other stacks also write
}

func (t Text) plan(p plan.Plan, needs preflight.Findings, rev source.Revision) {
	fmt.Fprintln(t.W, t.bold(heading(p.Stack, rev)))
	airy := true
	t.keeping = p.Summary().Delete > 0
	for _, e := range together(t.paragraphs(p), t.Verbose) {
		if long := e.height() > shortParagraph; airy || long {
			fmt.Fprintln(t.W)
			airy = long
		}
		e.write(t, "")
	}
	if n := Renewals(p); n > 0 && !t.Verbose {
		fmt.Fprintf(t.W, "\n%s %s\n", t.paint(yellow, "~"), Plural(n, "object")+": only the owner mark is renewed (-v names them)")
	}
	for _, reason := range p.Unlisted {
		fmt.Fprintf(t.W, "\n%s %s\n", t.paint(red, "!"), Clean("could not be listed, so the plan does not change its objects: "+reason))
	}
	for _, reason := range p.Refused {
		fmt.Fprintf(t.W, "\n%s %s\n", t.paint(yellow, "!"), Clean(RefusedText(reason)))
	}
	t.ignoredFiles(p.Ignored)
	t.leaves(p)
	fmt.Fprintln(t.W)
	fmt.Fprintln(t.W, t.bold(sum(p)))
	t.preflight(needs)
	if p.Held != nil {
		fmt.Fprintf(t.W, "%s %s.\n", t.paint(red, "Held:"), Clean(p.Held.String()))
	}
	if p.Suspended != "" {
		fmt.Fprintf(t.W, "%s %s; nothing is carried out.\n", t.paint(red, "Suspended:"), Clean(p.Suspended))
		return
	}
	if rev.Folder != "" && p.Summary().Writes() > 0 {
		fmt.Fprintf(t.W, "A plan of a folder cannot be carried out. After these files are committed to the branch, this command carries out exactly this plan (%s):\n    %s %s\n", p.Hash(), Clean(t.Approve), p.Hash())
		return
	}
	if p.Held != nil || t.Binding && p.Summary().Writes() > 0 {
		fmt.Fprintf(t.W, "To carry out exactly this plan (%s):\n    %s %s\n", p.Hash(), Clean(t.Approve), p.Hash())
	}
}

// shortParagraph is the maximum number of lines of a paragraph that needs no empty line around it.
const shortParagraph = 2

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

// sum returns the last line of a plan.
func sum(p plan.Plan) string {
	s := p.Summary()
	unchanged := Plural(s.Unchanged, "object") + " unchanged"
	switch {
	case p.InSync():
		return "In sync; " + unchanged + "."
	case s.Writes()+s.Wait+s.Refuse+s.Reported == 0:
		return "Nothing to do; " + unchanged + "."
	}
	return s.String() + "; " + unchanged + "."
}

// paragraphs returns the entries of a plan that contain something to show.
func (t Text) paragraphs(p plan.Plan) (list []entry) {
	for _, g := range Groups(p) {
		var e entry
		own := g.Own != nil && t.shows(*g.Own)
		if own {
			e = t.entry(*g.Own, g.Root)
		} else {
			e = entry{kind: g.Root.Kind, name: nameIn(g.Root), origin: g.Origin, bare: true}
		}
		for _, n := range g.Notes {
			e.lines = append(e.lines, t.note(n))
		}
		var parts []entry
		for _, s := range g.Children {
			if t.shows(*s) {
				parts = append(parts, t.entry(*s, g.Root))
			}
		}
		if e.parts = together(parts, t.Verbose); own || len(parts) > 0 {
			list = append(list, e)
		}
	}
	return list
}

// shows reports whether the text of a plan contains a step.
func (t Text) shows(s plan.Step) bool {
	return s.Left == "" && t.keeping && KeepsOrphan(s) || t.Verbose && len(s.Ignored) > 0 || len(s.Outrun) > 0 || !s.Silent() && (t.Verbose || !Renewal(s))
}

// KeepsOrphan reports whether a step keeps an object in the cloud that no longer has a manifest.
func KeepsOrphan(s plan.Step) bool {
	return s.Action == plan.Keep && s.Want == nil && s.Have != nil
}

// Renewal reports whether a step only renews the mark of an object. A step that waits for another object is not a renewal, because it may find
// further changes when that object exists.
func Renewal(s plan.Step) bool {
	return onlyMark(s) && len(s.Awaits) == 0 && !s.Adopts && !s.Drift && len(s.Notes) == 0
}

func onlyMark(s plan.Step) bool {
	return s.Action == plan.Update && len(s.Changes) == 1 && s.Changes[0].Field == kind.MarkField
}

// Renewals counts the renewals of a plan.
func Renewals(p plan.Plan) (n int) {
	for _, s := range p.Steps {
		if Renewal(s) {
			n++
		}
	}
	return n
}

// entry returns the entry of one step, with the notes and changes below its line.
func (t Text) entry(s plan.Step, root manifest.Key) entry {
	e := entry{does: effectText(s), symbol: t.paint(colorOf(s), symbol(s)), kind: s.Key.Kind, name: nameIn(s.Key), former: s.From, turn: Clean(s.Turn.String())}
	s.Turn = cause.Cause{}
	e.text, e.after, e.costs = explain(s), predecessors(s), costs(s)
	if s.Trace != nil && s.DriftText() != "" {
		e.by, e.gone = []kind.Trace{*s.Trace}, s.Vanished()
	}
	if s.Key == root {
		e.origin = s.Origin
	}
	for _, at := range Layers(s) {
		e.lines = append(e.lines, t.dim("merged with:")+" "+place(at))
	}
	e.lines = append(e.lines, t.values(s)...)
	for _, c := range t.shown(s) {
		e.lines = append(e.lines, t.change(c, s.Names)...)
	}
	if t.Verbose {
		for _, c := range s.Ignored {
			e.lines = append(e.lines, t.dim("ignored:")+" "+Clean(c.Field)+": the cloud has "+t.value(c.Have, s.Names))
		}
	}
	for _, n := range s.Notes {
		e.lines = append(e.lines, t.note(n))
	}
	return e
}

// nameIn returns the name of a key without its kind.
func nameIn(k manifest.Key) string { return strings.TrimPrefix(k.String(), k.Kind+"/") }

func (t Text) note(n kind.Note) string {
	return fmt.Sprintf("%s %s: %s", t.dim("note:"), Clean(n.Field), Clean(n.Text))
}
