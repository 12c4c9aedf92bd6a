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
	// Approve is the command line that approves a held plan, without the hash at its end.
	Approve string
	// Binding adds to every plan how to carry out exactly that plan.
	Binding bool
	// Verbose shows all parts of a plan: every field of new objects, ignored differences, and renewed marks.
	Verbose bool

	// NoFlags is set if the reader cannot set flags. Then -v is not mentioned.
	NoFlags bool

	keeping bool // objects that stay in the cloud without a manifest are also shown
}

// Problems writes all problems of a revision or a configuration.
func (t Text) Problems(problems manifest.Problems) {
	fmt.Fprintln(t.W, problems.Error()) // each is a line that is safe to print
	fmt.Fprintf(t.W, "%s; nothing was done\n", Plural(len(problems), "problem"))
}

// Pass writes the end of a pass, after its plan.
func (t Text) Pass(p engine.Pass) {
	for _, f := range p.Failures {
		if p.Interrupted {
			break // an interrupted step did not fail, it had not enough time
		}
		fmt.Fprintf(t.W, "%s %s\n", t.paint(red, "failed:"), failure(f))
	}
	for _, s := range newSteps(p) {
		fmt.Fprint(t.W, "left: ")
		t.entry(s, s.Key).write(t, "")
	}
	fmt.Fprintf(t.W, "%s %s\n", t.bold("stack "+p.Stack+":"), ending(p))
}

// newSteps returns the steps that a pass has not carried out and that were not in its first plan. Nobody has read about them yet.
func newSteps(p engine.Pass) []plan.Step {
	if p.Interrupted {
		return nil
	}
	shown := map[manifest.Key]plan.Action{}
	for _, s := range p.First.Steps {
		shown[s.Key] = s.Action
	}
	for _, f := range p.Failures {
		shown[f.Key] = "" // the failure is shown already, so the next step of the object is not
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

// ending returns one line about how a pass ended.
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
	case p.First.Limit != nil && p.Outcome() == plan.OutOfSync:
		text = "limited to " + some(p.First.Limit.Targets)
		if n := p.Last.Summary().Left; n > 0 {
			text += ", " + Plural(n, "object") + " left"
		}
	}
	if did := ChangeCounts(p); did != "" {
		text += ": " + did
	}
	return text + " (" + DurationText(p.Took) + ")"
}

// ChangeCounts returns the numbers of changes that a pass has made in the cloud.
func ChangeCounts(p engine.Pass) string {
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
