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

// symbol is the symbol of an action at the beginning of a line.
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

// explain is the text of a line after the key: what the step does to people, and why.
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
	if s.Trace == nil { // otherwise [traced] says it
		add(s.Drifted())
	}
	if s.Adopts {
		add("adopts " + s.Key.Kind + " " + ShortID(s.ShownID()))
		if s.OnlyNoted() {
			add("nothing changes")
		}
	}
	switch s.Action {
	case plan.Refuse:
		add("refused: " + s.Reason())
	case plan.Detach:
		add("let go: " + s.Reason())
	default:
		add(s.Reason())
	}
	if len(s.Awaits) > 0 && s.Reason() == "" && (!s.Action.Writes() || onlyMark(s)) {
		add("waits for " + s.Awaits[0].String())
	}
	return Clean(strings.Join(parts, "; "))
}

// predecessors are the objects that have to go before that of the step.
func predecessors(s plan.Step) (first []string) {
	if !s.Action.Destroys() && s.Action != plan.Detach {
		return nil
	}
	for _, one := range s.Blockers {
		first = append(first, Clean(one))
	}
	return first
}

// costs says what a step interrupts, and what is lost by it.
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

// some names the first few.
func some(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

// shown leaves the mark out, unless verbose mode asks for it or it is the only change.
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

// Clean makes text from elsewhere one line that is safe to print; see package
// printable.
func Clean(text string) string { return printable.Line(text) }

// Lasted is a duration as people say it.
func Lasted(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Plural is a number with a noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
