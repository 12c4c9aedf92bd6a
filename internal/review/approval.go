package review

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
)

// The path of a plan's hash to its approval. post.go writes it into the comment and its marker ([Prove]), and a person repeats it in a command
// (command.go). The functions below find the marker of that hash, and [plan.Approval.Covers] decides about the plan at hand.

// approvals returns the approve commands of people who may push. Nothing else remembers them: they are read again from the comments.
func (s said) approvals() (list []command) {
	for _, cmd := range s.commands {
		if cmd.verb == verbApprove && cmd.known() {
			list = append(list, cmd)
		}
	}
	return list
}

// plans returns the markers of the agent's comments with plans of a stack; "" is any stack.
func (s said) plans(stack string) (list []memory.Marker) {
	for _, c := range s.ours {
		if m, ok := memory.Of(c); ok && m.Kind == memory.PlanComment && (stack == "" || m.Stack == stack) && m.Part <= 1 {
			list = append(list, m)
		}
	}
	return list
}

// showed reports whether a comment of the agent showed the hash before the command was written.
func (s said) showed(cmd command) bool {
	return slices.ContainsFunc(s.plans(""), func(m memory.Marker) bool { return shown(cmd, m) })
}

// shown reports whether the comment of this marker showed the hash before the command was written: nobody can approve a plan that they cannot
// have seen.
func shown(cmd command, m memory.Marker) bool {
	after, ok := m.ShownAfter(cmd.hash)
	return ok && cmd.comment > after
}

// approved returns the approvals of a stack's plans in a conversation. merged is the revision of the branch after the merge, zero before it.
// If exactly those files were planned, the approval also covers the rest of an interrupted pass.
func approved(s said, stack string, merged source.Revision) (list []plan.Approval) {
	for _, cmd := range s.approvals() {
		for _, m := range s.plans(stack) {
			if !shown(cmd, m) {
				continue
			}
			a := plan.Approval{Hash: cmd.hash, By: cmd.by.Login, Standing: true}
			if m.Hash == cmd.hash && m.Tree != "" && m.Tree == merged.Tree {
				a.Commit, a.Proof = merged.Commit, proven(m)
			}
			list = append(list, a)
		}
	}
	return list
}

// proven is the proof in a marker, from which its hash is computed.
func proven(m memory.Marker) (p plan.Proof) {
	for i, sum := range m.Proof {
		if i == 0 {
			p.Exact = sum
		} else {
			p.Steps = append(p.Steps, sum)
		}
	}
	return p
}

// hashes joins the hashes of approvals to one text.
func hashes(list []command) string {
	var all []string
	for _, a := range list {
		all = append(all, a.hash)
	}
	return strings.Join(all, " ")
}

// Covering returns the approvals that cover a plan.
func Covering(list []plan.Approval, plan plan.Plan) (covers []plan.Approval) {
	for _, a := range list {
		if a.Covers(plan) {
			covers = append(covers, a)
		}
	}
	return covers
}
