package review

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report/comment"
)

// checkSize is what a check run's text holds (GitHub REST API, "Create a check
// run").
const checkSize = 65_535

// postPending has the commit say that a plan is under way, where nothing was said
// before.
func (s *Planner) postPending(pull forge.Pull, run time.Time) {
	r, name := s.repository, Context(s.Name, "plan")
	r.Outbox.Put(fmt.Sprintf("pending %s #%d", s.Name, pull.Number), func(ctx context.Context) error {
		if _, ok, err := r.Board.Get(ctx, pull.Head, name); ok || err != nil {
			return err
		}
		if s.queue.overtaken(pull.Number, run) {
			return nil
		}
		_, err := r.Board.Set(ctx, pull.Head, forge.Status{Context: name, State: forge.Pending, Description: "being planned"})
		return err
	})
}

// postRetracted has a pull request that asks for another branch say that it touches
// nothing of the stack.
func (s *Planner) postRetracted(pull forge.Pull, now time.Time) {
	p := page{retracted: true, Page: comment.Page{Stack: s.Name, Number: pull.Number, Head: pull.Head, Base: pull.Base, Quiet: true}}
	s.post(p, job{pull: pull}, now)
}

// post has a page posted: the comment, the check, and at last the status, which leads
// to the comment. Whoever is killed before that finds it to be news again, and writes
// what is missing.
func (s *Planner) post(p page, j job, begun time.Time) {
	r, marker, status := s.repository, p.marker(j.said.ours, begun), p.status()
	written := false // something new was, now or in an attempt before
	r.Outbox.Put(fmt.Sprintf("plan %s #%d", s.Name, j.pull.Number), func(ctx context.Context) error {
		c, news, err := s.writeComment(ctx, p, j, marker)
		written = written || news
		if Later(err) || p.retracted && s.queue.shares(j.pull.Number, p.Head) {
			return err // the status of a commit is that of the one which asks for the branch
		}
		status.URL = c.URL
		news, err2 := r.Board.News(ctx, p.Head, status)
		written = written || news
		if Later(err2) {
			return errors.Join(err, err2)
		}
		if written && !p.Quiet {
			err = errors.Join(err, r.writeCheck(ctx, p, status))
		}
		_, err2 = r.Board.Set(ctx, p.Head, status)
		return errors.Join(err, err2)
	})
}

// marker is that of the page's comment.
func (p page) marker(ours []forge.Comment, begun time.Time) memory.Marker {
	m := memory.Marker{Kind: memory.PlanComment, Stack: p.Stack, Run: memory.NextRun(ours, memory.PlanComment, p.Stack, begun), Head: p.Head, Base: p.BaseCommit}
	if p.Plan != nil {
		m = Prove(m, *p.Plan, p.Tree)
	}
	return m
}

// Prove is the marker with the plan's hash, what the hash stands for, and of which
// tree the plan was made. The approval of a plan that is too large for a marker
// covers exactly that plan, and not what is left of it.
func Prove(m memory.Marker, plan plan.Plan, tree string) memory.Marker {
	proof := plan.Proof()
	m.Hash = proof.Hash(plan.Stack)
	if len(proof.Steps) <= memory.MostSteps {
		m.Proof, m.Tree = memory.Sums{proof.Exact}, tree
		for _, print := range proof.Steps {
			m.Proof = append(m.Proof, print)
		}
	}
	return m
}

// status is that of the page's commit.
func (p page) status() forge.Status {
	ok, text := p.Status()
	status := forge.Status{Context: Context(p.Stack, "plan"), State: forge.Success, Description: Steady(text)}
	switch {
	case p.passing:
		status.State = forge.Error
	case p.Waits():
		status.State = forge.Pending
	case !ok:
		status.State = forge.Failure
	}
	return status
}

// requestID is what OpenStack names a request by.
var requestID = pattern.Of(`req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// Steady is an error without what is another one each time: a status is written
// when it is news.
func Steady(text string) string { return requestID.ReplaceAllString(text, "req-…") }

// writeComment writes the page's comment. A pull request that touches nothing of
// the stack gets none, unless it did before; a plan that could not be made for now
// does not take the place of one that was, and what is closed by now is left as
// it is.
func (s *Planner) writeComment(ctx context.Context, p page, j job, m memory.Marker) (c forge.Comment, news bool, err error) {
	r, number, comments := s.repository, j.pull.Number, j.said.ours
	if !r.conversations.fresh(number, j.read) {
		if comments, _, err = r.comments(ctx, number); err != nil {
			return c, false, err
		}
	}
	c, before, _, ok := memory.Find(comments, m.Kind, m.Stack)
	if !ok && p.Quiet || ok && p.passing && before.Head == m.Head {
		return c, false, nil
	}
	parts := comment.Split(p.Markdown(), memory.CommentSize)
	if c, ok := memory.Said(comments, m, parts); ok {
		return c, false, nil
	}
	now, err := r.Forge.Pull(ctx, number)
	if err != nil && !errors.Is(err, forge.ErrRefused) || err == nil && !now.Open {
		return c, false, err
	}
	defer r.Invalidate(number)
	return memory.Upsert(ctx, r.Forge, number, m, parts)
}

// Later reports whether an error is one to try again after.
func Later(err error) bool {
	var limited *forge.LimitedError
	return errors.As(err, &limited) || errors.Is(err, forge.ErrUnavailable)
}

// writeCheck writes the check run, where there can be one.
func (r *Repository) writeCheck(ctx context.Context, p page, status forge.Status) error {
	if r.Forge.Checks == nil || r.noChecks.Load() {
		return nil
	}
	c := forge.Check{
		Name: "stackreeve/" + p.Stack, Commit: p.Head, State: status.State,
		Title: status.Description, Summary: comment.Quoted(status.Description), Text: Clip(p.Markdown(), checkSize), Annotations: p.Annotations(),
	}
	err := r.Forge.PutCheck(ctx, c)
	if errors.Is(err, forge.ErrUnsupported) {
		r.noChecks.Store(true)
		return nil
	}
	return err
}

// Clip shortens text to so many characters, at a line's end, and says so.
func Clip(text string, most int) string {
	const note = "\n\nThe rest is left out here; `stackreeve plan` shows all of it.\n"
	if len([]rune(text)) <= most {
		return text
	}
	parts := comment.Split(text, most-len(note))
	return strings.TrimRight(parts[0], "\n") + note
}
