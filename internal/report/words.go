package report

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// symbol returns the symbol of an action, which begins a line.
func symbol(s plan.Step) string {
	switch s.Action {
	case plan.Create:
		return "+"
	case plan.Update:
		return "~"
	case plan.Recreate:
		return "-/+"
	case plan.Delete:
		return "-"
	case plan.Detach:
		return "»"
	case plan.Wait:
		return "…"
	case plan.Refuse:
		return "!"
	case plan.Keep:
	}
	return "="
}

// explain returns the text of a line after the key: the effect of the step for people, and the reason.
func explain(s plan.Step) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch {
	case s.Action == plan.Recreate:
		add(s.Disruption().String())
	case s.Action == plan.Update && s.Disruption() > kind.InPlace:
		add(s.Disruption().String())
	}
	if s.Trace == nil { // otherwise, [traced] contains it
		add(s.DriftText())
	}
	if s.Adopts {
		add("adopts " + s.Key.Kind + " " + ShortID(s.ShownID()))
		if s.OnlyNoted() {
			add("nothing changes")
		}
	}
	switch s.Action {
	case plan.Refuse:
		add("refused: " + s.FullCause())
	case plan.Detach:
		add("let go: " + s.FullCause())
	default:
		add(s.FullCause())
	}
	if len(s.Awaits) > 0 && s.FullCause() == "" && (!s.Action.Writes() || onlyMark(s)) {
		add("waits for " + s.Awaits[0].String())
	}
	return Clean(strings.Join(parts, "; "))
}

// predecessors returns the objects that must be deleted before that of the step.
func predecessors(s plan.Step) (first []string) {
	if !s.Action.Destroys() && s.Action != plan.Detach {
		return nil
	}
	for _, one := range s.Blockers {
		first = append(first, Clean(one))
	}
	return first
}

// costs returns the interruptions and losses that a step causes.
func costs(s plan.Step) string {
	var parts []string
	for _, c := range s.Changes {
		if s.Action == plan.Update && c.Cuts != "" {
			parts = append(parts, c.Cuts)
		}
	}
	if len(s.Loss) > 0 && s.Action.Writes() {
		parts = append(parts, "loses "+strings.Join(s.Loss, " and "))
	}
	return Clean(strings.Join(parts, "; "))
}

// some returns the first few names, and the number of further names.
func some(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

// shown returns the changes that a plan shows. The mark is left out, unless verbose mode is on or the mark is the only change.
func (t Text) shown(s plan.Step) []kind.Change {
	if t.Verbose {
		return s.Changes
	}
	changes := s.Known()
	if len(changes) == 1 {
		return changes
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c kind.Change) bool { return c.Field == kind.MarkField })
}

// longestValue is the maximum length of a value without -v, in characters.
const longestValue = 160

// Clean returns untrusted text as one line that is safe to print; see package printable.
func Clean(text string) string { return printable.Line(text) }

// DurationText returns a duration as text for people.
func DurationText(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Plural returns a number with a noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
