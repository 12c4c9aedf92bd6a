package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Text writes for people.
type Text struct {
	W     io.Writer
	Color bool
	// Approve is the command line that carries out a held plan, without the hash at its end.
	Approve string
	// Binding makes every plan say how to carry out exactly that plan.
	Binding bool
	// Verbose shows plans in full: every field of new objects, ignored differences, and renewed marks.
	Verbose bool

	// NoFlags is for places without flags: -v is not mentioned.
	NoFlags bool

	keeping bool // objects that stay are named, besides those that are deleted
}

// Problems writes everything that is wrong with a revision or a configuration.
func (t Text) Problems(problems manifest.Problems) {
	fmt.Fprintln(t.W, problems.Error()) // each is a line that is safe to print
	fmt.Fprintf(t.W, "%s; nothing was done\n", Plural(len(problems), "problem"))
}

// Pass writes how a pass ended, after its plan.
func (t Text) Pass(p engine.Pass) {
	for _, f := range p.Failures {
		if p.Interrupted {
			break // it did not fail: it had not enough time
		}
		fmt.Fprintf(t.W, "%s %s\n", t.paint(red, "failed:"), failure(f))
	}
	for _, s := range news(p) {
		fmt.Fprint(t.W, "left: ")
		t.entry(s, s.Key).write(t, "")
	}
	fmt.Fprintf(t.W, "%s %s\n", t.bold("stack "+p.Stack+":"), ending(p))
}

// news returns the steps that a pass leaves undone and that were not in its first plan: nobody has read them yet.
func news(p engine.Pass) []plan.Step {
	if p.Interrupted {
		return nil
	}
	shown := map[manifest.Key]plan.Action{}
	for _, s := range p.First.Steps {
		shown[s.Key] = s.Action
	}
	for _, f := range p.Failures {
		shown[f.Key] = "" // whatever the text is
	}
	var steps []plan.Step
	for _, s := range p.Last.Steps {
		if before, known := shown[s.Key]; !s.Silent() && !(known && (before == s.Action || before == "")) {
			steps = append(steps, s)
		}
	}
	return steps
}

func failure(f engine.Failure) string {
	text := f.String()
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
func ending(p engine.Pass) string {
	text := p.Outcome().String()
	switch {
	case p.Superseded != "":
		text = p.Superseded.Error()
	case p.Interrupted:
		text = "interrupted"
	case p.First.Held != nil:
		text = "held, nothing was changed"
	case p.First.Suspended != "" && !p.Last.InSync():
		text = "suspended, nothing was changed"
	}
	if did := Deeds(p); did != "" {
		text += ": " + did
	}
	return text + " (" + Lasted(p.Took) + ")"
}

// Deeds counts what a pass has done to the cloud.
func Deeds(p engine.Pass) string {
	done, gone := map[plan.Action]int{}, map[manifest.Key]bool{}
	for _, r := range p.Results {
		if r.Err != nil {
			continue
		}
		done[r.Step.Action]++
		switch {
		case r.Step.Action == plan.Recreate:
			gone[r.Step.Key] = true
		case r.Step.Action == plan.Create && gone[r.Step.Key]:
			done[plan.Create]-- // the second half of a replacement
			delete(gone, r.Step.Key)
		}
	}
	var parts []string
	for _, d := range []struct {
		action plan.Action
		word   string
	}{{plan.Create, "created"}, {plan.Update, "changed"}, {plan.Recreate, "replaced"}, {plan.Delete, "deleted"}, {plan.Detach, "let go"}} {
		if n := done[d.action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, d.word))
		}
	}
	return strings.Join(parts, ", ")
}
