package review

import (
	"context"
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Merged is the pull request with which a commit of the branch was merged.
type Merged struct {
	Pull     forge.Pull
	Comments []forge.Comment
	Unread   bool // there are more comments than were read
	// Revision is the revision of the branch after the merge. It is zero if it is unknown, or if the branch
	// has newer commits.
	Revision source.Revision
}

// MergedBy returns the pull request with which a commit was merged, or [forge.ErrNotFound] when there is none.
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

// ApprovalsIn returns the approvals of the stack's plans in the comments of a merged pull request.
func (s *Planner) ApprovalsIn(ctx context.Context, m Merged) ([]plan.Approval, error) {
	said, err := s.repository.readConversation(ctx, m.Pull.Base, m.Comments)
	if err != nil {
		return nil, err
	}
	return approved(said, s.Name, m.Revision), nil
}

// ForgeTime is the time for which a pass waits for the forge if only the forge has the answer.
const ForgeTime = time.Minute

// Approvals returns the approvals in the pull request with which a commit was merged. It returns none while they cannot be read.
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

// SetHeld stores the held plan of the branch; nil if no plan is held. Visits look for approvals of that plan
// until SetHeld is called again.
func (s *Planner) SetHeld(plan *plan.Plan) { s.held.Store(plan) }
