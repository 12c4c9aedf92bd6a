package review

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
)

// A plan's hash goes to its approval like this: post.go writes it into the
// comment and its marker ([Prove]); a person repeats it in a command (command.go);
// what is below finds the marker of that hash, and [plan.Approval.Covers] is
// asked about the plan at hand.

// approvals are the commands of people who may push that approve of something.
// Nothing else remembers them: they are read again.
func (s said) approvals() (list []command) {
	for _, cmd := range s.commands {
		if cmd.verb == verbApprove && cmd.known() {
			list = append(list, cmd)
		}
	}
	return list
}

// plans are the markers of our comments with plans of a stack; "" is any.
func (s said) plans(stack string) (list []memory.Marker) {
	for _, c := range s.ours {
		if m, ok := memory.Of(c); ok && m.Kind == memory.PlanComment && (stack == "" || m.Stack == stack) && m.Part <= 1 {
			list = append(list, m)
		}
	}
	return list
}

// showed reports whether a comment of ours had shown the hash when it was approved.
func (s said) showed(cmd command) bool {
	return slices.ContainsFunc(s.plans(""), func(m memory.Marker) bool { return shown(cmd, m) })
}

// shown reports whether a comment had shown the hash when it was approved: nobody
// can approve of what they cannot have seen.
func shown(cmd command, m memory.Marker) bool {
	after, ok := m.ShownAfter(cmd.hash)
	return ok && cmd.comment > after
}

// approved are the approvals of a stack's plans in a conversation. merged is what
// the branch became by it, zero while nothing was merged: when exactly those files
// were planned, the approval is good for the rest of an interrupted pass, too.
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

// proven is what a marker says that its hash stands for.
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

// hashes are those of approvals, as one text.
func hashes(list []command) string {
	var all []string
	for _, a := range list {
		all = append(all, a.hash)
	}
	return strings.Join(all, " ")
}

// Covering are the approvals that let a plan through.
func Covering(list []plan.Approval, plan plan.Plan) (covers []plan.Approval) {
	for _, a := range list {
		if a.Covers(plan) {
			covers = append(covers, a)
		}
	}
	return covers
}
