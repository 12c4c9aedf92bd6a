package review

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
)

// From the hash of a plan to its approval: post.go writes the hash into the plan's comment and into its marker ([WithProof]). There,
// [memory.Upsert] also notes which hashes the comment has shown. A person repeats the hash in a command (command.go). The functions below find the
// marker with that hash. At last, [plan.Approval.Covers] decides whether the approval covers the plan at hand.

// approvals returns the approve commands of people who may push. Only the comments store them, so they are
// read again each time.
func (s readComments) approvals() (list []command) {
	for _, cmd := range s.commands {
		if cmd.verb == verbApprove && cmd.known() {
			list = append(list, cmd)
		}
	}
	return list
}

// plans returns the markers of the agent's comments with plans of a stack. If stack is "", it returns those
// of all stacks.
func (s readComments) plans(stack string) (list []memory.Marker) {
	for _, c := range s.ours {
		if m, ok := memory.Of(c); ok && m.Kind == memory.PlanComment && (stack == "" || m.Stack == stack) && m.Part <= 1 {
			list = append(list, m)
		}
	}
	return list
}

// showedHash reports whether a comment of the agent showed the hash before the command was written.
func (s readComments) showedHash(cmd command) bool {
	return slices.ContainsFunc(s.plans(""), func(m memory.Marker) bool { return shown(cmd, m) })
}

// shown reports whether the comment of this marker showed the hash before the command was written, because nobody can approve a plan that
// they cannot have seen.
func shown(cmd command, m memory.Marker) bool {
	after, ok := m.ShownAfter(cmd.hash)
	return ok && cmd.comment > after
}

// approved returns the approvals of a stack's plans in a conversation. merged is the revision of the branch after the merge; zero before the
// merge. If the plan was made from exactly the files of merged, the approval also covers the rest of an interrupted pass.
func approved(s readComments, stack string, merged source.Revision) (list []plan.Approval) {
	for _, cmd := range s.approvals() {
		for _, m := range s.plans(stack) {
			if !shown(cmd, m) {
				continue
			}
			a := plan.Approval{Hash: cmd.hash, By: cmd.by.Login, Standing: true}
			if m.Hash == cmd.hash && m.Tree != "" && m.Tree == merged.Tree {
				a.Commit, a.Proof = merged.Commit, proofOf(m)
			}
			list = append(list, a)
		}
	}
	return list
}

// proofOf returns the proof in a marker. The plan's hash is computed from the proof.
func proofOf(m memory.Marker) (p plan.Proof) {
	for i, sum := range m.Proof {
		if i == 0 {
			p.Exact = sum
		} else {
			p.Steps = append(p.Steps, sum)
		}
	}
	return p
}

// hashes returns the hashes of approvals as one text.
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
