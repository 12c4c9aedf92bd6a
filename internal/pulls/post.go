package pulls

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report/comment"
)

// The kinds of comments.
const (
	planKind   = "plan"
	driftKind  = "drift"
	answerKind = "answer"
)

const (
	// commentSize is what one comment holds, in characters, besides its marker and
	// the outcome that is put on top of it after the merge.
	commentSize = forge.MaxComment - forge.MaxMarker - outcomeSize
	outcomeSize = 8_000
	// checkSize is what a check run's text holds (GitHub REST API, "Create a check
	// run").
	checkSize = 65_535
	// mostSteps is how many steps of a plan a marker holds. The approval of a
	// larger plan covers exactly that plan, and not what is left of it.
	mostSteps = 400
)

// post owes the forge a page: the comment, then the status that leads to it,
// then the check.
func (s *Stack) post(page comment.Page, j job, begun time.Time, passing bool) {
	r := s.repository
	marker := forge.Marker{Kind: planKind, Stack: s.Name, Run: forge.NextRun(j.ours, planKind, s.Name, begun), Head: page.Head, Base: page.BaseCommit}
	if page.Plan != nil {
		stand(&marker, *page.Plan, page.Tree)
	}
	ok, text := page.Status()
	status := forge.Status{Context: s.context("plan"), State: forge.Success, Description: steady(text)}
	switch {
	case passing:
		status.State = forge.Error
	case page.Waits():
		status.State = forge.Pending
	case !ok:
		status.State = forge.Failure
	}
	said := false // something new was, in this try or one before
	r.Outbox.Put(fmt.Sprintf("plan %s #%d", s.Name, j.pull.Number), func(ctx context.Context) error {
		c, news, err := s.comment(ctx, page, j, marker, passing)
		said = said || news
		if later(err) {
			return err
		}
		status.URL = c.URL
		news, err2 := r.Board.Set(ctx, page.Head, status)
		said = said || news
		if later(err2) || !said || page.Quiet {
			return errors.Join(err, err2)
		}
		return errors.Join(err, err2, r.check(ctx, s, page, status))
	})
}

// stand makes the marker say what the plan's hash stands for, and of which tree
// the plan was made.
func stand(m *forge.Marker, plan plan.Plan, tree string) {
	proof := plan.Proof()
	m.Hash, m.Exact, m.Steps, m.Tree = plan.Hash(), proof.Exact, proof.Steps, tree
	if len(m.Steps) > mostSteps {
		m.Exact, m.Steps, m.Tree = "", nil, ""
	}
}

// comment writes the page's comment. A pull request that touches nothing of the
// stack gets none, unless it did before; a plan that could not be made for now
// does not take the place of one that was, and what is closed by now is left as
// it is.
func (s *Stack) comment(ctx context.Context, page comment.Page, j job, m forge.Marker, passing bool) (c forge.Comment, news bool, err error) {
	r, number, comments := s.repository, j.pull.Number, j.ours
	if !r.fresh(number, j.read) {
		if comments, err = r.comments(ctx, number); err != nil {
			return c, false, err
		}
	}
	c, before, _, ok := forge.Find(comments, m.Kind, m.Stack)
	if !ok && page.Quiet || ok && passing && before.Head == m.Head {
		return c, false, nil
	}
	parts := comment.Split(page.Markdown(), commentSize)
	if c, ok := forge.Said(comments, m, parts); ok {
		return c, false, nil
	}
	now, err := r.Forge.Pull(ctx, number)
	if err != nil && !errors.Is(err, forge.ErrRefused) || err == nil && !now.Open {
		return c, false, err
	}
	defer r.touched(number)
	return forge.Upsert(ctx, r.Forge, number, m, parts)
}

// later tells whether an error is one to try again after.
func later(err error) bool {
	var limited *forge.LimitedError
	return errors.As(err, &limited) || errors.Is(err, forge.ErrUnavailable)
}

// check writes the check run, where there can be one.
func (r *Repository) check(ctx context.Context, s *Stack, page comment.Page, status forge.Status) error {
	if r.noChecks.Load() {
		return nil
	}
	c := forge.Check{
		Name: "stackreeve/" + s.Name, Commit: page.Head, State: status.State,
		Title: status.Description, Summary: comment.Quoted(status.Description), Text: clip(page.Markdown(), checkSize), Annotations: page.Annotations(),
	}
	err := r.Forge.PutCheck(ctx, c)
	if errors.Is(err, forge.ErrUnsupported) {
		r.noChecks.Store(true)
		return nil
	}
	return err
}

// clip shortens text to so many characters, at a line's end, and says so.
func clip(text string, most int) string {
	const note = "\n\nThe rest is left out here; `stackreeve plan` shows all of it.\n"
	if len([]rune(text)) <= most {
		return text
	}
	parts := comment.Split(text, most-len(note))
	return strings.TrimRight(parts[0], "\n") + note
}
