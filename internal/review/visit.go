package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// maxFailed is the number of pull requests in a row that cannot be read before the agent assumes that the
// forge is down.
const maxFailed = 3

// Visit reads every open pull request, answers commands, and queues the plans that each stack must make. Before that, it looks
// for approvals of held plans. It returns an error if the forge could not be read. If one pull request cannot be read, the others
// still are.
func (r *Repository) Visit(ctx context.Context) error {
	outdated := r.outdated.advance(time.Now())
	visited, failed := r.visitHeld(ctx)
	listings, complete, err := r.list(ctx)
	if err != nil {
		failed = err
	}
	for _, l := range listings {
		err := r.visitAll(ctx, l, outdated)
		if ctx.Err() != nil || isLimit(err) {
			return err
		}
		if err != nil { // pull requests into other branches may be readable
			failed = err
		}
	}
	if failed != nil || !complete {
		return failed
	}
	for _, l := range listings {
		open := l.open()
		if err := r.retract(ctx, l.stacks, open); err != nil {
			return err
		}
		for _, s := range l.stacks {
			s.queue.retain(open)
		}
		maps.Copy(visited, open)
	}
	r.conversations.retain(visited)
	return nil
}

// visitHeld starts another pass of a stack if its held plan has been approved. visited are the pull requests whose comments it has
// read. failed is the error of a stack whose approvals could not be read.
func (r *Repository) visitHeld(ctx context.Context) (visited map[int]bool, failed error) {
	visited = map[int]bool{}
	for _, s := range r.all() {
		held := s.held.Load()
		if held == nil {
			continue
		}
		m, err := s.MergedBy(ctx, held.Commit)
		if err != nil {
			if TryLater(err) {
				failed = err
			}
			continue // no pull request brought the commit, or the forge does not know which one, or it cannot answer now
		}
		visited[m.Pull.Number] = true // so that Visit does not forget which of its comments were answered
		said, err := r.readConversation(ctx, m.Pull.Base, m.Comments)
		if err != nil {
			failed = err
			continue
		}
		c := r.answerNew(m.Pull, r.conversations.get(m.Pull.Number), said)
		r.conversations.put(m.Pull.Number, c)
		if len(Covering(approved(c.comments, s.Name, m.Revision), *held)) > 0 {
			s.Again()
		}
	}
	return visited, failed
}

// listing contains the open pull requests into a branch, and the stacks that follow the branch.
type listing struct {
	stacks []*Planner
	pulls  []forge.Pull
}

// open returns the numbers of the listing's pull requests.
func (l listing) open() map[int]bool {
	numbers := map[int]bool{}
	for _, pull := range l.pulls {
		numbers[pull.Number] = true
	}
	return numbers
}

// list lists the open pull requests of every branch. complete is false if the forge has more than it listed. failed is the error of a
// branch whose pull requests could not be listed.
func (r *Repository) list(ctx context.Context) (listings []listing, complete bool, failed error) {
	complete = true
	if !r.Forge.Reviewed() {
		return nil, true, nil
	}
	branches := r.branches()
	for _, branch := range slices.Sorted(maps.Keys(branches)) {
		pulls, err := r.Forge.OpenPulls(ctx, branch)
		if errors.Is(err, forge.ErrTooMany) {
			r.Complain("there are more open pull requests than the agent reads; the newest are not planned", err)
			complete = false
		} else if err != nil {
			failed = fmt.Errorf("list pull requests into %s: %w", branch, err)
			continue
		}
		listings = append(listings, listing{branches[branch], pulls})
	}
	return listings, complete, failed
}

// branches returns the branches that stacks follow, each with its stacks. A stack whose repository has not
// been read yet is not included.
func (r *Repository) branches() map[string][]*Planner {
	list := map[string][]*Planner{}
	for _, s := range r.all() {
		if rev, ok := s.Last(); ok {
			list[rev.Branch] = append(list[rev.Branch], s)
		}
	}
	return list
}

// visitAll visits the open pull requests of a branch. It ends early when the forge seems to be down.
func (r *Repository) visitAll(ctx context.Context, l listing, outdated time.Time) error {
	slices.SortStableFunc(l.pulls, func(a, b forge.Pull) int { return r.rank(a) - r.rank(b) })
	around, failedInRow := openPulls{trustedHeads(l.pulls), byNumber(l.pulls)}, 0
	for _, pull := range l.pulls {
		err := r.visit(ctx, pull, around, l.stacks, outdated)
		r.conversations.failed(pull.Number, err != nil)
		if err == nil {
			failedInRow = 0
			continue
		}
		if ctx.Err() != nil || isLimit(err) {
			return err
		}
		if !errors.Is(err, forge.ErrNotFound) { // after ErrNotFound, it has just been closed
			r.Complain(fmt.Sprintf("pull request %d cannot be read", pull.Number), err)
		}
		if errors.Is(err, forge.ErrUnavailable) {
			if failedInRow++; failedInRow >= maxFailed {
				return err
			}
			time.AfterFunc(retryPlan, r.Wake)
		}
	}
	return nil
}

// isLimit reports whether the forge asks for fewer requests.
func isLimit(err error) bool {
	var limited *forge.LimitedError
	return errors.As(err, &limited)
}

// trustedHeads returns the head commits that people with the right to push have pushed.
func trustedHeads(pulls []forge.Pull) map[string]bool {
	trusted := map[string]bool{}
	for _, pull := range pulls {
		trusted[pull.Head] = trusted[pull.Head] || !pull.Fork
	}
	return trusted
}

// byNumber returns the pull requests by their numbers. It returns none if no pull request has needs, because only needs are found by numbers.
func byNumber(pulls []forge.Pull) map[int]forge.Pull {
	open := map[int]forge.Pull{}
	if slices.ContainsFunc(pulls, func(p forge.Pull) bool { return len(p.Needs) > 0 }) {
		for _, pull := range pulls {
			open[pull.Number] = pull
		}
	}
	return open
}

// rank returns the place of a pull request in the order of visits. Pull requests with changes come first.
// Those that could not be read the last time come last.
func (r *Repository) rank(pull forge.Pull) int {
	c := r.conversations.get(pull.Number)
	switch {
	case c.failed:
		return 2
	case c.updated.Equal(pull.Updated) && r.conversations.fresh(pull.Number, c.read):
		return 1
	}
	return 0
}

// openPulls contains facts about all open pull requests into a branch. trusted are the head commits that people with the right to push have
// pushed. open are the pull requests by number.
type openPulls struct {
	trusted map[string]bool
	open    map[int]forge.Pull
}

// visit reads one pull request, answers commands, and queues the plans that each stack must make.
func (r *Repository) visit(ctx context.Context, pull forge.Pull, around openPulls, stacks []*Planner, outdated time.Time) error {
	c, err := r.conversationOf(ctx, pull)
	if err != nil {
		return err
	}
	for _, s := range stacks {
		may := func(p forge.Pull) bool { return s.PlanForks || !p.Fork || around.trusted[p.Head] }
		j := job{pull: pull, comments: c.comments, read: c.read, trusted: around.trusted[pull.Head], needs: needsOf(pull, around.open, may)}
		s.queue.offer(j, outdated, time.Now())
	}
	return ctx.Err()
}

// retract updates the reports of stacks on pull requests that are now for another branch. open are the open pull requests
// of the stacks' branch.
func (r *Repository) retract(ctx context.Context, stacks []*Planner, open map[int]bool) error {
	for _, s := range stacks {
		for _, number := range s.queue.closedPulls(open) {
			pull, err := r.Forge.Pull(ctx, number)
			if TryLater(err) {
				return err
			}
			if rev, ok := s.Last(); err != nil || !ok || !pull.Open || pull.Base == rev.Branch {
				continue
			}
			s.postRetracted(pull, time.Now())
		}
	}
	return nil
}
