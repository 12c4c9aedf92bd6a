package pulls

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// steps are fingerprints of what a plan would do, by stack.
type steps map[string][]string

// approval is a person's word for the plan of a hash.
type approval struct {
	hash, by string
	// steps are the plan's that had this hash; nil when none is known to have it.
	steps steps
}

// approvals reads them back from the comments of a pull request: those of
// people who may push now. Nothing else remembers them.
func (r *Repository) approvals(ctx context.Context, comments []forge.Comment) (list []approval, err error) {
	stood := standFor(comments)
	for _, c := range comments {
		for _, cmd := range commands(c) {
			if cmd.verb != verbApprove || !cmd.known() {
				continue
			}
			ok, err := r.people.mayWrite(ctx, cmd.by)
			if err != nil {
				return nil, err
			}
			if ok {
				list = append(list, approval{cmd.hash, cmd.by, stood[cmd.hash]})
			}
		}
	}
	return list, nil
}

// of is the approval as a stack's plans are compared with it.
func (a approval) of(stack string) reconcile.Approval {
	return reconcile.Approval{Hash: a.hash, Steps: a.steps[stack], By: a.by}
}

// hashes are those of approvals, as one text.
func hashes(list []approval) string {
	var all []string
	for _, a := range list {
		all = append(all, a.hash)
	}
	return strings.Join(all, " ")
}

// standFor finds what hashes stand for in the comments that are ours.
func standFor(comments []forge.Comment) map[string]steps {
	stood := map[string]steps{}
	for _, c := range comments {
		m, ok := c.Marker()
		if !ok || m.Kind != planKind || m.Hash == "" {
			continue
		}
		if stood[m.Hash] == nil {
			stood[m.Hash] = steps{}
		}
		stood[m.Hash][m.Stack] = append(stood[m.Hash][m.Stack], m.Steps...)
	}
	return stood
}

// covering are the approvals that let a plan through.
func covering(list []approval, stack string, plan reconcile.Plan) (covers []reconcile.Approval) {
	for _, a := range list {
		if one := a.of(stack); one.Covers(plan) {
			covers = append(covers, one)
		}
	}
	return covers
}

// patienceTime is how long a pass waits for what only the forge knows.
const patienceTime = time.Minute

// Approvals are those of the pull request that brought a commit.
func (s *Stack) Approvals(ctx context.Context, commit string) []reconcile.Approval {
	ctx, cancel := context.WithTimeout(ctx, patienceTime)
	defer cancel()
	comments, _, err := s.conversation(ctx, commit)
	if errors.Is(err, forge.ErrNotFound) {
		return nil
	}
	var list []approval
	if err == nil {
		list, err = s.repository.approvals(ctx, comments)
	}
	if err != nil {
		s.repository.Log.Warn("approvals cannot be read; the plan stays held", "stack", s.Name, "error", err)
		return nil
	}
	var all []reconcile.Approval
	for _, a := range list {
		all = append(all, a.of(s.Name))
	}
	return all
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
	comments, err := s.repository.Forge.Comments(ctx, pull.Number)
	return comments, pull, err
}
