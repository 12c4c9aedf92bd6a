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

// checkSize is the maximum size of a check run's text (GitHub REST API, "Create a check run").
const checkSize = 65_535

// postPending sets the commit's status to pending if it has none yet.
func (s *Planner) postPending(pull forge.Pull, begun time.Time) {
	r, name := s.repository, Context(s.Name, "plan")
	r.Outbox.Put(fmt.Sprintf("pending %s #%d", s.Name, pull.Number), func(ctx context.Context) error {
		if _, ok, err := r.Board.Get(ctx, pull.Head, name); ok || err != nil {
			return err
		}
		if s.queue.overtaken(pull.Number, begun) {
			return nil
		}
		_, err := r.Board.Set(ctx, pull.Head, forge.Status{Context: name, State: forge.Pending, Description: "being planned"})
		return err
	})
}

// postRetracted reports that a pull request changes nothing of the stack, because it is now for another
// branch.
func (s *Planner) postRetracted(pull forge.Pull, now time.Time) {
	p := page{retracted: true, Page: comment.Page{Stack: s.Name, Number: pull.Number, Head: pull.Head, Base: pull.Base, Quiet: true}}
	s.post(p, job{pull: pull}, now)
}

// delivery is a page that waits for its delivery to the forge.
type delivery struct {
	page    page
	job     job
	marker  memory.Marker // made when the page is queued, because a comment of a run that began later must not be overwritten.
	written bool          // a comment was written or the status is new, in this attempt or in an earlier one
}

// post puts a page into the outbox, which calls deliverPage.
func (s *Planner) post(p page, j job, begun time.Time) {
	d := &delivery{page: p, job: j, marker: p.marker(j.comments.ours, begun)}
	s.repository.Outbox.Put(fmt.Sprintf("plan %s #%d", s.Name, j.pull.Number), func(ctx context.Context) error { return s.deliverPage(ctx, d) })
}

// deliverPage writes the comment, then the check, and at last the status, which links to the comment. If the agent is killed before it
// writes the status, the next process finds it missing and writes the rest.
func (s *Planner) deliverPage(ctx context.Context, d *delivery) error {
	r, p, number := s.repository, d.page, d.job.pull.Number
	c, news, err := s.writeComment(ctx, p, d.job, d.marker)
	d.written = d.written || news
	if TryLater(err) || p.retracted && s.queue.shares(number, p.Head) {
		return err // if retracted: the commit's status belongs to another pull request with the same head
	}
	status := p.forgeStatus()
	status.URL = c.URL
	news, err2 := r.Board.News(ctx, p.Head, status) // before the check, which is written only if the comment or the status is new
	d.written = d.written || news
	if TryLater(err2) {
		return errors.Join(err, err2)
	}
	if d.written && !p.Quiet {
		err = errors.Join(err, r.writeCheck(ctx, p, status))
	}
	_, err2 = r.Board.Set(ctx, p.Head, status)
	return errors.Join(err, err2)
}

// marker returns the marker of the page's comment.
func (p page) marker(ours []forge.Comment, begun time.Time) memory.Marker {
	m := memory.Marker{Kind: memory.PlanComment, Stack: p.Stack, Run: memory.NextRun(ours, memory.PlanComment, p.Stack, begun), Head: p.Head, Base: p.BaseCommit}
	if p.Plan != nil {
		m = WithProof(m, *p.Plan, p.Tree)
	}
	return m
}

// WithProof adds three values to a marker: the plan's hash, the proof from which the hash is computed, and the tree from which the plan was
// made. If the plan is too large for a marker, it adds only the hash. Then an approval covers exactly that plan, but not the rest of it
// after an interruption.
func WithProof(m memory.Marker, plan plan.Plan, tree string) memory.Marker {
	proof := plan.Proof()
	m.Hash = proof.Hash(plan.Stack)
	if len(proof.Steps) <= memory.MaxSteps {
		m.Proof, m.Tree = memory.Sums{proof.Exact}, tree
		for _, print := range proof.Steps {
			m.Proof = append(m.Proof, print)
		}
	}
	return m
}

// forgeStatus returns the status for the page's commit.
func (p page) forgeStatus() forge.Status {
	ok, text := p.Status()
	status := forge.Status{Context: Context(p.Stack, "plan"), State: forge.Success, Description: WithoutVaryingParts(text)}
	switch {
	case p.temporary:
		status.State = forge.Error
	case p.Waits():
		status.State = forge.Pending
	case !ok:
		status.State = forge.Failure
	}
	return status
}

// requestID matches OpenStack's ID of a request.
var requestID = pattern.Of(`req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// WithoutVaryingParts removes the parts of an error that differ each time, because a status is written only when its text
// changes.
func WithoutVaryingParts(text string) string { return requestID.ReplaceAllString(text, "req-…") }

// writeComment writes the page's comment. If the pull request changes nothing of the stack, it only updates a comment that exists. A page
// with a temporary error does not replace a comment about the same head. The comment of a closed pull request is not changed.
func (s *Planner) writeComment(ctx context.Context, p page, j job, m memory.Marker) (c forge.Comment, news bool, err error) {
	r, number, comments := s.repository, j.pull.Number, j.comments.ours
	if !r.conversations.fresh(number, j.read) {
		if comments, _, err = r.comments(ctx, number); err != nil {
			return c, false, err
		}
	}
	c, before, _, ok := memory.Find(comments, m.Kind, m.Stack)
	if !ok && p.Quiet || ok && p.temporary && before.Head == m.Head {
		return c, false, nil
	}
	parts := comment.Split(p.Markdown(), memory.CommentSize)
	if c, ok := memory.UpToDate(comments, m, parts); ok {
		return c, false, nil
	}
	now, err := r.Forge.Pull(ctx, number) // if the forge refuses to show it, its comments may still be written
	if err != nil && !errors.Is(err, forge.ErrRefused) || err == nil && !now.Open {
		return c, false, err
	}
	defer r.Invalidate(number)
	return memory.Upsert(ctx, r.Forge, number, m, parts)
}

// TryLater reports whether an error is a reason to try again later.
func TryLater(err error) bool {
	var limited *forge.LimitedError
	return errors.As(err, &limited) || errors.Is(err, forge.ErrUnavailable)
}

// writeCheck writes the check run, if the forge has check runs.
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

// Clip shortens text to the number of characters in most. The result ends after a whole line, with a note.
func Clip(text string, most int) string {
	const note = "\n\nThe rest is not shown here; `stackreeve plan` shows the complete plan.\n"
	if len([]rune(text)) <= most {
		return text
	}
	parts := comment.Split(text, most-len(note))
	return strings.TrimRight(parts[0], "\n") + note
}
