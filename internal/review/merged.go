package review

import (
	"context"
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Merged is the pull request that a commit of the branch was merged by.
type Merged struct {
	Pull     forge.Pull
	Comments []forge.Comment
	Unread   bool // there are more comments
	// Revision is what the branch became by it; zero when that is not known, or the
	// branch has gone on.
	Revision source.Revision
}

// MergedBy reads the pull request that a commit was merged by; [forge.ErrNotFound]
// when there is none.
func (s *Planner) MergedBy(ctx context.Context, commit string) (m Merged, err error) {
	rev, ok := s.Last()
	if !ok || commit == "" || !s.repository.Forge.Reviewed() {
		return m, forge.ErrNotFound
	}
	if m.Pull, err = s.repository.Forge.MergedBy(ctx, rev.Branch, commit); err != nil {
		return m, err
	}
	if m.Pull.Merged && rev.Commit == commit {
		m.Revision = rev
	}
	m.Comments, m.Unread, err = s.repository.comments(ctx, m.Pull.Number)
	return m, err
}

// ApprovalsIn are the approvals of the stack's plans in the comments of a merged
// pull request.
func (s *Planner) ApprovalsIn(ctx context.Context, m Merged) ([]plan.Approval, error) {
	said, err := s.repository.understand(ctx, m.Pull.Base, m.Comments)
	if err != nil {
		return nil, err
	}
	return approved(said, s.Name, m.Revision), nil
}

// ForgeTime is how long a pass waits for what only the forge knows.
const ForgeTime = time.Minute

// Approvals are those of the pull request that a commit was merged by; none while
// they cannot be read.
func (s *Planner) Approvals(ctx context.Context, commit string) []plan.Approval {
	ctx, cancel := context.WithTimeout(ctx, ForgeTime)
	defer cancel()
	m, err := s.MergedBy(ctx, commit)
	if errors.Is(err, forge.ErrNotFound) {
		return nil
	}
	var list []plan.Approval
	if err == nil {
		list, err = s.ApprovalsIn(ctx, m)
	}
	if err != nil {
		s.repository.Log.Warn("approvals cannot be read; the plan stays held", "stack", s.Name, "error", err)
		return nil
	}
	return list
}

// SetHeld says which plan the branch is held with; nil when none is. It is visited
// for approvals until another is set.
func (s *Planner) SetHeld(plan *plan.Plan) { s.held.Store(plan) }

// visitHeld asks for another pass where the plan that holds a branch was approved
// meanwhile. visited are the pull requests that it read; the error is that of a
// stack whose approvals could not be read.
func (r *Repository) visitHeld(ctx context.Context) (visited map[int]bool, failed error) {
	visited = map[int]bool{}
	for _, s := range r.all() {
		held := s.held.Load()
		if held == nil {
			continue
		}
		m, err := s.MergedBy(ctx, held.Commit)
		if err != nil {
			if Later(err) {
				failed = err
			}
			continue // else it came without a pull request, or the forge does not say with which
		}
		visited[m.Pull.Number] = true // remember what was answered there
		c, err := r.answerAll(ctx, m.Pull, r.conversations.get(m.Pull.Number), m.Comments)
		if err != nil {
			failed = err
			continue
		}
		r.conversations.put(m.Pull.Number, c)
		if len(Covering(approved(c.said, s.Name, m.Revision), *held)) > 0 {
			s.Again()
		}
	}
	return visited, failed
}
