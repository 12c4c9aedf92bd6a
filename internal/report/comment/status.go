package comment

import (
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Status returns the page as one line of at most [forge.MaxDescription] characters. ok is false if something else must be done before merging has
// the effect that the manifests describe.
func (p Page) Status() (ok bool, description string) {
	switch {
	case p.Err != "":
		return false, fitStatus("no plan: "+p.Err, "")
	case len(p.Problems) > 0:
		return false, fitStatus(report.Plural(len(p.Problems), "problem")+": "+p.first(), "")
	case p.After != nil && p.Plan == nil:
		return p.After.Outcome() == plan.InSync, fitStatus(ending(*p.After), "")
	case p.Quiet:
		return true, "nothing of this stack is changed"
	case p.Plan != nil:
		return p.verdict(*p.Plan)
	case p.Offline != "":
		return false, fitStatus("not planned: "+p.Offline+"; "+differencesLine(p.Differs), "")
	}
	return false, "no plan"
}

// Waits reports whether nothing was planned although nothing is wrong. Then somebody must request the plan.
func (p Page) Waits() bool {
	return p.Offline != "" && p.Plan == nil && p.Err == "" && len(p.Problems) == 0 && !p.Quiet && p.After == nil
}

func (p Page) verdict(plan plan.Plan) (ok bool, description string) {
	text, end := shortSummary(plan), ""
	switch n := plan.Summary().Stuck; {
	case len(plan.Unlisted) > 0:
		end = "; a part of the cloud could not be listed"
	case n > 0 && p.held():
		end = "; " + report.Plural(n, "object") + " not possible; approve " + plan.Hash() + " for the rest"
	case n > 0:
		end = "; " + report.Plural(n, "object") + " not possible"
	case plan.Suspended != "":
		return true, fitStatus(text, "; suspended: nothing is applied")
	case p.held() && p.Unread:
		end = "; unread; once merged: " + RunCommand(p.Stack, plan.Hash())
	case p.held():
		end = "; approve " + plan.Hash() + " to go on"
	case plan.Held != nil:
		return true, fitStatus(text, "; approved")
	default:
		return true, fitStatus(text, "")
	}
	return false, fitStatus(text, end)
}

// fitStatus returns text and end as one line that fits into a status. If the line is too long, text is cut.
func fitStatus(text, end string) string {
	text, end = report.Clean(text), report.Clean(end)
	room := forge.MaxDescription - utf8.RuneCountInString(end)
	return forge.Describe(printable.Shorten(text, max(room, 1)) + end)
}

// first returns the first problem, with its place in the repository.
func (p Page) first() string {
	return p.Problems.Sorted()[0].String()
}
