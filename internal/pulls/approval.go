package pulls

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
)

// approvals are the commands of people who may push that approve of something.
// Nothing else remembers them: they are read again.
func approvals(said []command) (list []command) {
	for _, cmd := range said {
		if cmd.verb == verbApprove && cmd.known() {
			list = append(list, cmd)
		}
	}
	return list
}

// planComments are the markers of our comments with plans of a stack; "" is any.
func planComments(ours []forge.Comment, stack string) (list []forge.Marker) {
	for _, c := range ours {
		if m, ok := c.Marker(); ok && m.Kind == planKind && (stack == "" || m.Stack == stack) && m.Part <= 1 {
			list = append(list, m)
		}
	}
	return list
}

// shown tells whether a comment of ours had shown the hash when it was approved:
// nobody can approve of what they cannot have seen.
func shown(cmd command, m forge.Marker) bool {
	after, ok := m.ShownAfter(cmd.hash)
	return ok && cmd.comment > after
}

func shownAnywhere(cmd command, ours []forge.Comment) bool {
	return slices.ContainsFunc(planComments(ours, ""), func(m forge.Marker) bool { return shown(cmd, m) })
}

// approved are the approvals of a stack's plans in a conversation. merged is what
// the branch became by it, zero while nothing was merged: when exactly those files
// were planned, the approval is good for the rest of an interrupted pass, too.
func approved(said []command, ours []forge.Comment, stack string, merged source.Revision) (list []plan.Approval) {
	for _, cmd := range approvals(said) {
		for _, m := range planComments(ours, stack) {
			if !shown(cmd, m) {
				continue
			}
			a := plan.Approval{Hash: cmd.hash, By: cmd.by.login, Standing: true}
			if m.Hash == cmd.hash && m.Tree != "" && m.Tree == merged.Tree {
				a.Commit, a.Proof = merged.Commit, plan.Proof{Exact: m.Exact, Steps: m.Steps}
			}
			list = append(list, a)
		}
	}
	return list
}

// hashes are those of approvals, as one text.
func hashes(list []command) string {
	var all []string
	for _, a := range list {
		all = append(all, a.hash)
	}
	return strings.Join(all, " ")
}

// covering are the approvals that let a plan through.
func covering(list []plan.Approval, plan plan.Plan) (covers []plan.Approval) {
	for _, a := range list {
		if a.Covers(plan) {
			covers = append(covers, a)
		}
	}
	return covers
}

// patienceTime is how long a pass waits for what only the forge knows.
const patienceTime = time.Minute

// Approvals are those of the pull request that brought a commit.
func (s *Stack) Approvals(ctx context.Context, commit string) []plan.Approval {
	ctx, cancel := context.WithTimeout(ctx, patienceTime)
	defer cancel()
	comments, pull, err := s.conversation(ctx, commit)
	if errors.Is(err, forge.ErrNotFound) {
		return nil
	}
	var list []plan.Approval
	if err == nil {
		list, err = s.approved(ctx, comments, pull, commit)
	}
	if err != nil {
		s.repository.Log.Warn("approvals cannot be read; the plan stays held", "stack", s.Name, "error", err)
		return nil
	}
	return list
}

// approved reads the approvals in the conversation of the pull request that
// brought a commit.
func (s *Stack) approved(ctx context.Context, comments []forge.Comment, pull forge.Pull, commit string) ([]plan.Approval, error) {
	ours, said, err := s.repository.hear(ctx, comments)
	if err != nil {
		return nil, err
	}
	return approved(said, ours, s.Name, s.merged(pull, commit)), nil
}

// merged is the revision that a pull request made of the branch, zero when it is
// not known.
func (s *Stack) merged(pull forge.Pull, commit string) source.Revision {
	rev, ok := s.Last()
	if !ok || !pull.Merged || rev.Commit != commit {
		return source.Revision{}
	}
	return rev
}

// conversation is that of the pull request which brought a commit.
func (s *Stack) conversation(ctx context.Context, commit string) ([]forge.Comment, forge.Pull, error) {
	rev, ok := s.Last()
	if !ok || commit == "" {
		return nil, forge.Pull{}, forge.ErrNotFound
	}
	pull, err := s.repository.Forge.Brought(ctx, rev.Branch, commit)
	if err != nil {
		return nil, pull, err
	}
	comments, err := s.repository.comments(ctx, pull.Number)
	return comments, pull, err
}
