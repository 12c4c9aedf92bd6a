package comment

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// maxFailures is the maximum number of failures of a pass that a comment lists.
const maxFailures = 20

// outcome returns the text about the run after the merge.
func (p Page) outcome(run report.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n", code(p.Stack), ending(run))
	if hash := run.Revision.Commit; hash != "" && run.Refused == nil {
		fmt.Fprintf(&b, "Merged: %s", commit(hash))
		if run.Pass != nil && run.Outcome() == plan.InSync {
			b.WriteString(", which the cloud now matches")
		}
		b.WriteString(".\n\n")
	}
	if err := run.Err; err != nil {
		fmt.Fprintf(&b, "The agent will try again: %s.\n\n", quote(strings.TrimRight(err.Error(), ". \n")))
	}
	if run.Refused != nil {
		text := "Nothing of %s is applied while a single document is wrong.\n\n"
		if run.Refused.Unverified {
			text = "Nothing of %s is read or applied, because its signatures are not those that the configuration of the agent wants.\n\n"
		}
		fmt.Fprintf(&b, text, commit(run.Refused.Commit))
		b.WriteString(Page{Problems: run.Refused.Problems, Browser: p.Browser, Head: run.Refused.Commit}.problems())
	}
	if run.Pass != nil {
		b.WriteString(p.passed(*run.Pass, places{p.Browser, run.Revision.Commit}))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// ending returns one line about how a run ended.
func ending(run report.Run) string {
	switch {
	case run.Refused != nil && run.Refused.Unverified:
		return "refused, not verified"
	case run.Refused != nil:
		return "refused, " + report.Plural(len(run.Refused.Problems), "problem") + " in the manifests"
	case run.Err != nil || run.Pass == nil:
		return "not applied"
	}
	pass := *run.Pass
	text := map[plan.Outcome]string{
		plan.InSync: "in sync", plan.Broken: "failed", plan.OutOfSync: "applied, but differences remain",
	}[pass.Outcome()]
	switch {
	case pass.Interrupted:
		text = "interrupted; the next pass continues"
	case suspended(pass):
		return differ(pass)
	case pass.First.Held != nil:
		return "held, nothing was changed"
	}
	did := report.ChangeCounts(pass)
	switch {
	case did == "":
		did = "nothing was changed"
	case pass.Outcome() == plan.Broken && !pass.Interrupted:
		text += " in part"
	}
	return text + "; " + did + " (" + report.DurationText(pass.Took) + ")"
}

func (p Page) passed(pass engine.Pass, in places) string {
	var b strings.Builder
	if pass.First.Suspended != "" {
		fmt.Fprintf(&b, "The stack is suspended: %s.\n\n", quote(pass.First.Suspended))
	}
	if by := pass.First.Approved; by != nil && by.By != "" {
		fmt.Fprintf(&b, "The plan %s was approved by %s.\n\n", code(by.Hash), code(by.By))
	}
	if pass.First.Held != nil {
		fmt.Fprintf(&b, "Somebody with write access must approve the plan: %s.\n\n%s", quote(pass.First.Held.String()), p.approve(pass.First.Hash()))
	}
	for i, f := range pass.Failures {
		if pass.Interrupted {
			break // an interrupted step did not fail, it had not enough time
		}
		if i == maxFailures {
			fmt.Fprintf(&b, "- and %d more\n", len(pass.Failures)-maxFailures)
			break
		}
		fmt.Fprintf(&b, "- %s%s: %s%s\n", code(f.Key.String()), in.after(f.Origin), quote(f.Reason()), failureCauses(f))
	}
	b.WriteString(p.refusedObjects(pass, in))
	return b.String()
}

func failureCauses(f engine.Failure) string {
	if len(f.Dependents) == 0 {
		return ""
	}
	names := make([]string, len(f.Dependents))
	for i, key := range f.Dependents {
		names[i] = code(key.String())
	}
	return "; because of it, " + some(names) + " had to wait"
}

// refusedObjects lists the objects that were refused, or about which people must decide.
func (p Page) refusedObjects(pass engine.Pass, in places) string {
	var b strings.Builder
	failed := map[string]bool{}
	for _, f := range pass.Failures {
		failed[f.Key.String()] = true
	}
	n := 0
	for _, s := range pass.Last.Steps {
		if s.Action != plan.Refuse || failed[s.Key.String()] {
			continue
		}
		if n++; n <= maxFailures {
			fmt.Fprintf(&b, "- %s%s: %s\n", code(s.Key.String()), in.after(s.Origin), effectLine(s, inMarkdown()))
		}
	}
	if n > maxFailures {
		fmt.Fprintf(&b, "- and %d more\n", n-maxFailures)
	}
	return b.String()
}
