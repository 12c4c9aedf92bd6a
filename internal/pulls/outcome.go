package pulls

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
)

// divider stands between what came later and the text that was there before.
// Nothing that a manifest holds can look like it: comments of HTML are escaped.
const divider = "<!-- before -->"

// told is what became of telling an outcome.
type told int

const (
	saidIt     told = iota
	superseded      // it is no more what is to be said
)

// outcome tells the pull request that brought a commit what came of it, and
// completes the commit's status: where it leads to, and how to approve of what
// no pull request brought.
func (s *Stack) outcome(ctx context.Context, commit string, run report.Run, status *forge.Status) (told, error) {
	held := heldPlan(run)
	comments, pull, err := s.conversation(ctx, commit)
	if errors.Is(err, forge.ErrNotFound) {
		if held != nil {
			how := fmt.Sprintf("stackreeve run --once --stack %s --approve %s", s.Name, held.Hash())
			status.Description = heldWord + "no pull request brought it; approve: " + how + "; " + held.Held
			s.repository.complain("a commit that no pull request brought is held", fmt.Errorf("%s: %s; approve with: %s", s.Name, held.Held, how))
		}
		return saidIt, nil
	}
	if err != nil {
		return saidIt, err
	}
	if held != nil {
		list, err := s.approved(ctx, comments, pull, commit)
		if err != nil {
			return saidIt, err
		}
		if len(covering(list, *held)) > 0 {
			// It was approved: whoever held it could not read that.
			s.Again()
			return superseded, nil
		}
	}
	marker, parts, ok := s.ending(comments, pull, commit, run, status.State)
	if !ok {
		c, _, _, _ := forge.Find(comments, planKind, s.Name)
		status.URL = c.URL
		return saidIt, nil
	}
	s.repository.touched(pull.Number)
	c, _, err := forge.Upsert(ctx, s.repository.Forge, pull.Number, marker, parts)
	status.URL = c.URL
	return saidIt, err
}

// heldPlan is the plan that a run was held with.
func heldPlan(run report.Run) *plan.Plan {
	if run.Pass == nil || run.Pass.First.Held == "" {
		return nil
	}
	return &run.Pass.First
}

// ending is the plan's comment with its outcome on top. ok is false when there
// is nothing to add: an earlier run has told how the same commit ended, and this
// one found nothing to do.
func (s *Stack) ending(comments []forge.Comment, pull forge.Pull, commit string, run report.Run, state forge.State) (m forge.Marker, parts []string, ok bool) {
	page := comment.Page{Stack: s.Name, Number: pull.Number, Head: pull.Head, Base: pull.Base, BaseCommit: commit, After: &run}
	m, parts = forge.Marker{Kind: planKind, Stack: s.Name, Head: pull.Head}, []string{""}
	if _, before, _, found := forge.Find(comments, planKind, s.Name); found {
		m, parts = before, forge.Texts(comments, planKind, s.Name)
	}
	if m.Done == state && m.Base == commit && state == forge.Success && run.Pass != nil && len(run.Pass.Results) == 0 {
		return m, nil, false
	}
	m.Run, m.Base, m.Done = max(run.Started.UnixMilli(), m.Run), commit, state
	if held := heldPlan(run); held != nil {
		rev := s.merged(pull, commit)
		stand(&m, *held, rev.Tree)
	}
	parts[0] = onTop(clip(page.Markdown(), outcomeSize-len(divider)), parts[0])
	return m, parts, true
}

// onTop puts news above what was said before, in the place of older news.
func onTop(news, before string) string {
	if _, kept, ok := strings.Cut(before, divider+"\n"); ok {
		before = kept
	}
	if strings.TrimSpace(before) == "" {
		return news
	}
	// Others may have edited it since.
	return strings.TrimRight(news, "\n") + "\n\n" + divider + "\n" + clip(before, commentSize)
}
