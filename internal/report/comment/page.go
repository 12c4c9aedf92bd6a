package comment

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Page contains everything that is known about one pull request and one stack.
type Page struct {
	Stack  string
	Number int // the number of the pull request; 0 if there is none
	// Head is the commit that was planned. Base is the branch into which it is to be merged. BaseCommit is the commit of that branch when the plan was
	// made.
	Head, Base, BaseCommit string
	// Browser returns the addresses of the repository. It is the zero value if they are unknown.
	Browser forge.Browser
	// Tree is the hash of the stack's folder as it was read.
	Tree string
	// Plan contains the effects of merging. It is nil if there is no plan.
	Plan *plan.Plan
	// Preflight contains the requirements of the plan that the cloud must meet.
	Preflight preflight.Findings
	// Differs are the differences between the manifests. They replace the plan if no cloud was read. Then Offline is the reason.
	Differs []document.Difference
	Offline string
	// Problems are the errors in the manifests.
	Problems manifest.Problems
	// Err is the reason why there are neither a plan nor problems: a conflict, or a cloud that is down.
	Err string
	// Needs are the pull requests on which this one depends, in the order in which they are merged. MoreNeeds is true if there are further ones.
	Needs     []Need
	MoreNeeds bool
	// Approvals are the approvals of the plan.
	Approvals []plan.Approval
	// Unread is true if there are more comments than the agent reads. Then a new comment cannot approve anything.
	Unread bool
	// Unsigned is the reason why the head's own signature does not count, if signatures are needed; "" if it does.
	Unsigned string
	// Quiet is true if the pull request changes nothing of the stack.
	Quiet bool
	// After is the run after the merge. It is nil before the merge.
	After *report.Run
}

// Markdown returns the page as a comment.
func (p Page) Markdown() string {
	var b strings.Builder
	if p.After != nil {
		b.WriteString(p.outcome(*p.After))
		if p.knowsNothing() {
			return b.String()
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "### %s: %s\n\n", code(p.Stack), p.summary())
	if text := p.about(); text != "" {
		b.WriteString(text + "\n\n")
	}
	b.WriteString(p.needs())
	if p.Unsigned != "" && p.After == nil {
		b.WriteString("The newest commit here would be refused on the branch: " + quote(p.Unsigned) + ".\n\n")
	}
	if p.After == nil {
		b.WriteString(p.suspension())
		b.WriteString(p.missing())
		b.WriteString(p.cost())
	}
	b.WriteString(p.problems())
	b.WriteString(p.differs())
	if p.Plan != nil {
		b.WriteString(p.objects())
		b.WriteString(p.quotas())
		b.WriteString(p.refusedLists() + p.ignoredFiles())
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// knowsNothing reports whether nothing is known about the plan before the merge.
func (p Page) knowsNothing() bool {
	return p.Plan == nil && len(p.Problems) == 0 && p.Err == "" && p.Offline == "" && !p.Quiet
}

// summary returns the text of the first line.
func (p Page) summary() string {
	switch {
	case p.Err != "":
		return "no plan"
	case len(p.Problems) > 0:
		return report.Plural(len(p.Problems), "problem") + " in the manifests"
	case p.Quiet:
		return "nothing to do"
	case p.Plan != nil && p.Plan.InSync():
		return "nothing to do"
	case p.Plan != nil:
		return sum(*p.Plan, inMarkdown())
	case p.Offline != "":
		return differencesLine(p.Differs)
	}
	return "no plan"
}

// about returns the text about which revisions were compared, and with which result.
func (p Page) about() string {
	switch {
	case p.Err != "":
		return "No plan could be made: " + quote(strings.TrimRight(p.Err, ". \n")) + "."
	case p.Quiet:
		return "This changes no file of the stack."
	case len(p.Problems) > 0:
		return "Nothing of the stack is applied while a single document is wrong."
	case p.Plan != nil:
		return p.planned()
	case p.Offline != "":
		return "The manifests are valid. Their effect on the cloud was not planned, because " + prose(p.Offline) + "; the list shows how they differ from the manifests of " + p.base() + "."
	}
	return ""
}

func (p Page) planned() string {
	text := p.merging() + " does this to the cloud as it is now"
	if p.Plan.InSync() {
		text = p.merging() + " changes nothing in the cloud"
	}
	switch n := p.Plan.Summary().Unchanged; n {
	case 0:
	case 1:
		text += "; 1 object stays as it is"
	default:
		text += fmt.Sprintf("; %d objects stay as they are", n)
	}
	return text + "."
}

// merging returns the beginning of the sentence about the plan: the commits that are merged, and the branch.
func (p Page) merging() string {
	switch {
	case p.Head == "":
		return "Applying this"
	case p.Base == "":
		return "Applying " + commit(p.Head)
	}
	return "Merging " + listed(append(p.included(), commit(p.Head))) + " into " + p.base()
}

// base returns the name of the branch into which the head is merged.
func (p Page) base() string {
	text := "the branch"
	if p.Base != "" {
		text = code(p.Base)
	}
	if p.BaseCommit != "" {
		text += " (" + commit(p.BaseCommit) + ")"
	}
	return text
}

// maxProblems is how many problems a comment lists.
const maxProblems = 100

func (p Page) problems() string {
	if len(p.Problems) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("#### What is wrong\n\n")
	for i, problem := range p.Problems.Sorted() {
		if i == maxProblems {
			fmt.Fprintf(&b, "- and %d more\n", len(p.Problems)-maxProblems)
			break
		}
		b.WriteString("- " + p.problem(problem) + "\n")
	}
	return b.String() + "\n"
}

func (p Page) problem(problem manifest.Problem) string {
	var parts []string
	if at := p.places().code(problem.Origin); at != "" {
		parts = append(parts, at)
	}
	for _, text := range []string{problem.Key.String(), problem.Field} {
		if text != "" {
			parts = append(parts, code(text))
		}
	}
	text := strings.Join(append(parts, quote(problem.What)), ": ")
	if problem.Fix != "" {
		text += "; " + quote(problem.Fix)
	}
	return text
}

// differencesLine returns one line about the differences between manifests.
func differencesLine(list []document.Difference) string {
	count := map[document.Edit]int{}
	for _, d := range list {
		count[d.Edit]++
	}
	return fmt.Sprintf("manifests of %s added, %d changed, %d removed", report.Plural(count[document.Added], "object"), count[document.Changed], count[document.Removed])
}

func (p Page) differs() string {
	var folded, open strings.Builder
	for _, wanted := range []document.Edit{document.Removed, document.Changed, document.Added} {
		for _, d := range p.Differs {
			switch {
			case d.Edit != wanted:
			case len(d.Changes) > 0:
				folded.WriteString(p.difference(d))
			default:
				open.WriteString(p.difference(d))
			}
		}
	}
	return folded.String() + open.String()
}

func (p Page) difference(d document.Difference) string {
	in := p.places()
	if d.Edit == document.Removed {
		in.commit = p.BaseCommit
	}
	if len(d.Changes) == 0 {
		return "- " + code(d.Key.String()) + in.after(d.Origin) + ": " + string(d.Edit) + "\n"
	}
	return "<details><summary>" + codeHTML(d.Key.String()) + ": " + string(d.Edit) + "</summary>\n\nWritten in " + in.code(d.Origin) + ".\n\n" + diff(d.Changes, nil) + "\n\n</details>\n\n"
}

func (p Page) objects() string {
	var b strings.Builder
	list, in := objects(*p.Plan), p.places()
	for g := range headings {
		b.WriteString(section(in, grade(g), list[grade(g)]))
	}
	if n := report.Renewals(*p.Plan); n > 0 {
		fmt.Fprintf(&b, "For %s, only the owner mark is renewed.\n\n", report.Plural(n, "object"))
	}
	if strings.Contains(b.String(), "diff\n@@ ") {
		b.WriteString("In the diffs, red lines are the values in the cloud and green lines the values in the manifest.\n")
	}
	return b.String()
}
