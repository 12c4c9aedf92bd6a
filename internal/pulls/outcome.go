package pulls

import (
	"context"
	"errors"
	"strings"

	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// divider stands between what came later and the text that was there before.
// Nothing that a manifest holds can look like it: comments of HTML are escaped.
const divider = "<!-- before -->"

// outcome tells the pull request that brought a commit what came of it.
func (s *Stack) outcome(ctx context.Context, commit string, run report.Run) error {
	comments, pull, err := s.conversation(ctx, commit)
	if errors.Is(err, forge.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	page := comment.Page{Stack: s.Name, Number: pull.Number, Head: pull.Head, Base: pull.Base, BaseCommit: commit, Root: run.Revision.Root, After: &run}
	marker := forge.Marker{Kind: planKind, Stack: s.Name, Head: pull.Head, Base: commit}
	parts := []string{""}
	if _, before, _, ok := forge.Find(comments, planKind, s.Name); ok {
		marker, parts = before, forge.Texts(comments, planKind, s.Name)
	}
	marker.Run = max(run.Started.UnixMilli(), marker.Run)
	if run.Pass != nil && run.Pass.First.Held != "" {
		marker.Hash, marker.Steps = run.Pass.First.Hash(), nil
		if steps := run.Pass.First.Prints(); len(steps) <= mostSteps {
			marker.Steps = steps
		}
	}
	parts[0] = onTop(clip(page.Markdown(), outcomeSize-len(divider)), parts[0])
	_, _, err = forge.Upsert(ctx, s.repository.Forge, pull.Number, marker, parts)
	return err
}

// onTop puts news above what was said before, in the place of older news.
func onTop(news, before string) string {
	if _, kept, ok := strings.Cut(before, divider+"\n"); ok {
		before = kept
	}
	if strings.TrimSpace(before) == "" {
		return news
	}
	return strings.TrimRight(news, "\n") + "\n\n" + divider + "\n" + before
}
