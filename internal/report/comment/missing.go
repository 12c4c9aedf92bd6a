package comment

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/report"
)

// ApproveCommand is the comment with which somebody with write access approves a held plan.
func ApproveCommand(hash string) string { return "/stackreeve approve " + hash }

// PlanCommand is the comment with which somebody with write access requests a plan of a fork's commit.
func PlanCommand(commit string) string { return "/stackreeve plan " + commit }

// held reports whether the plan waits for an approval.
func (p Page) held() bool { return p.Plan != nil && p.Plan.Held != nil && len(p.Approvals) == 0 }

// missing says what must be done before the cloud can equal the pull request.
func (p Page) missing() string {
	if p.Quiet || p.Plan != nil && p.Plan.InSync() {
		return ""
	}
	list := p.todo()
	text := p.approversText()
	if p.Waits() {
		return "**To have exactly this commit planned**, somebody with write access must read it, and then write this comment:\n\n" + fenced("", []string{PlanCommand(p.Head)}) + "\n\n"
	}
	if len(list) == 0 && p.Plan != nil && p.Plan.Suspended != "" {
		return text // merging applies nothing, because the stack is suspended
	}
	if len(list) == 0 {
		return text + "**To apply it**, merge it.\n\n"
	}
	list = append(list, "Then merge it.")
	text += "**Before it can be applied:**\n\n- " + strings.Join(list, "\n- ") + "\n\n"
	if p.held() {
		text += p.approve(p.Plan.Hash())
	}
	return text
}

// RunCommand is the command that approves a held plan if a comment cannot approve it.
func RunCommand(stack, hash string) string {
	return "stackreeve run --once --stack " + stack + " --approve " + hash
}

// approve says how to approve a plan.
func (p Page) approve(hash string) string {
	if p.Unread {
		return "This pull request has more comments than the agent reads, so a new comment approves nothing. To approve exactly this plan after the merge, run:\n\n```\n" + RunCommand(p.Stack, hash) + "\n```\n\n"
	}
	return "To approve exactly this plan, write this comment:\n\n```\n" + ApproveCommand(hash) + "\n```\n\n"
}

func (p Page) todo() (list []string) {
	if p.Err != "" {
		list = append(list, "Remove the reason above. The agent plans again after the next commit, or when somebody writes the comment `/stackreeve plan`.")
	}
	if n := len(p.Problems); n > 0 {
		list = append(list, "Correct "+map[bool]string{true: "the problem", false: "the problems"}[n == 1]+" below.")
	}
	if p.Plan == nil {
		return list
	}
	for _, reason := range p.Plan.Unlisted {
		list = append(list, "The cloud must answer: "+quote(reason)+". The plan does not change objects that could not be listed.")
	}
	if n := p.Plan.Summary().Stuck; n > 0 {
		list = append(list, report.Plural(n, "object")+" cannot be made as the manifests say: correct "+map[bool]string{true: "it", false: "them"}[n == 1]+", or merge this to apply everything else.")
	}
	list = append(list, p.shortages()...)
	if p.held() {
		list = append(list, "Somebody with write access must approve the plan: "+quote(p.Plan.Held.String())+".")
	}
	return list
}

// approversText lists the people who approved a plan that would otherwise be held.
func (p Page) approversText() string {
	if p.Plan == nil || p.Plan.Held == nil || len(p.Approvals) == 0 {
		return ""
	}
	var names []string
	for _, a := range p.Approvals {
		if a.By != "" {
			names = append(names, code(a.By))
		}
	}
	text := "**Approved**"
	if len(names) > 0 {
		text += " by " + listed(names)
	}
	return text + ", though " + quote(p.Plan.Held.String()) + ".\n\n"
}
