package pulls

import (
	"context"
	"errors"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// approval is a person's word for the plan of a hash.
type approval struct {
	hash, by string
	// steps are the plan's that had this hash, by stack.
	steps map[string][]string
}

// approvals reads them back from the comments of a pull request: those of
// people who may push now. Nothing else remembers them.
func (r *Repository) approvals(ctx context.Context, comments []forge.Comment) (list []approval, err error) {
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
				list = append(list, approval{cmd.hash, cmd.by, stepsOf(comments, cmd.hash)})
			}
		}
	}
	return list, nil
}

// hashes are those of approvals, as one text.
func hashes(list []approval) string {
	var all []string
	for _, a := range list {
		all = append(all, a.hash)
	}
	return strings.Join(all, " ")
}

// stepsOf finds what a hash stood for in the comments that are ours.
func stepsOf(comments []forge.Comment, hash string) map[string][]string {
	steps := map[string][]string{}
	for _, c := range comments {
		if m, ok := forge.ParseMarker(c.Body); ok && c.Mine && m.Kind == planKind && m.Hash == hash {
			steps[m.Stack] = append(steps[m.Stack], m.Steps...)
		}
	}
	return steps
}

// covering are the approvals that let a plan through.
func covering(list []approval, stack string, plan reconcile.Plan) (covers []reconcile.Approval) {
	for _, a := range list {
		one := reconcile.Approval{Hash: a.hash, Steps: a.steps[stack], By: a.by}
		if one.Covers(plan) {
			covers = append(covers, one)
		}
	}
	return covers
}

// Approvals are those of the pull request that brought a commit.
func (s *Stack) Approvals(ctx context.Context, commit string) []reconcile.Approval {
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
		all = append(all, reconcile.Approval{Hash: a.hash, Steps: a.steps[s.Name], By: a.by})
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
