package branch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/review"
)

// writeOutcome writes the outcome of a pass at the top of a comment: the comment on the pull request with which the commit was merged. It
// returns the complete status for the commit. The status links to the comment. If no pull request can approve the plan, the status contains
// the command for that. writeOutcome returns nil if the plan was approved meanwhile, so that the outcome is outdated.
func (s *Tracker) writeOutcome(ctx context.Context, o outcome) (*forge.Status, error) {
	status := s.status("sync", o.status, "")
	held := heldPlan(o.run)
	m, err := s.review.MergedBy(ctx, o.commit)
	if errors.Is(err, forge.ErrNotFound) {
		if o.status.Is == memory.Held {
			s.repository.Complain("a plan is held, and its commit has no pull request for an approval", s.howTo(*held))
			status = s.status("sync", s.withCommand(*held), "")
		}
		return &status, nil
	}
	if err != nil {
		return &status, err
	}
	if held != nil {
		list, err := s.review.ApprovalsIn(ctx, m)
		if err != nil {
			return &status, err
		}
		if len(review.Covering(list, *held)) > 0 {
			s.review.Again() // the pass has not seen the approval
			return nil, nil
		}
		if m.Unread && o.status.Is == memory.Held {
			s.repository.Complain("a plan is held, and its pull request has more comments than the agent reads", s.howTo(*held))
			means := s.withCommand(*held)
			means.Unread = true
			status = s.status("sync", means, "")
		}
	}
	marker, parts, ok := endingComment(m, o, s.review.Name, s.repository.Forge.Browser, status.State)
	if !ok {
		c, _, _, _ := memory.Find(m.Comments, memory.PlanComment, s.review.Name)
		status.URL = c.URL
		return &status, nil
	}
	s.repository.Invalidate(m.Pull.Number)
	c, _, err := memory.Upsert(ctx, s.repository.Forge, m.Pull.Number, marker, parts)
	status.URL = c.URL
	return &status, err
}

// endingComment returns the plan's comment with its outcome at the top. ok is false if there is nothing to add, because an earlier run has reported
// how the same commit ended, and this run found nothing to do.
func endingComment(m review.Merged, o outcome, stack string, at forge.Browser, state forge.State) (marker memory.Marker, parts []string, ok bool) {
	page := comment.Page{
		Stack: stack, Number: m.Pull.Number, Head: m.Pull.Head, Base: m.Pull.Base, BaseCommit: o.commit, Unread: m.Unread, After: &o.run, Browser: at,
	}
	marker, parts = memory.Marker{Kind: memory.PlanComment, Stack: stack, Head: m.Pull.Head}, []string{""}
	if _, before, _, found := memory.Find(m.Comments, memory.PlanComment, stack); found {
		marker, parts = before, memory.Texts(m.Comments, memory.PlanComment, stack)
	}
	if marker.Done == state && marker.Base == o.commit && state == forge.Success && o.run.Pass != nil && len(o.run.Pass.Results) == 0 {
		return marker, nil, false
	}
	marker.Run, marker.Base, marker.Done = max(o.run.Started.UnixMilli(), marker.Run), o.commit, state
	if held := heldPlan(o.run); held != nil {
		marker = review.WithProof(marker, *held, m.Revision.Tree)
	}
	parts[0] = onTop(page.Markdown(), parts[0])
	return marker, parts, true
}

// onTop puts news above the former text of a comment, and replaces older news.
func onTop(news, before string) string {
	news = review.Clip(news, memory.OutcomeSize-memory.DividerSize)
	before = memory.Below(before)
	if strings.TrimSpace(before) == "" {
		return news
	}
	// Other people may have made the text longer since then.
	return memory.Divided(news, review.Clip(before, memory.CommentSize))
}

// withCommand returns the status of a held commit that has no pull request for an approval. The status contains the command that approves
// the plan.
func (s *Tracker) withCommand(held plan.Plan) memory.Status {
	return memory.Status{Is: memory.Held, Command: comment.RunCommand(s.review.Name, held.Hash()), Why: held.Held.String()}
}

// howTo returns an error for the log: why a plan is held, and the command that approves it.
func (s *Tracker) howTo(held plan.Plan) error {
	return fmt.Errorf("%s: %s; approve with: %s", s.review.Name, held.Held, comment.RunCommand(s.review.Name, held.Hash()))
}
