package pulls

import (
	"context"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// job is a pull request that a stack has to plan.
type job struct {
	pull  forge.Pull
	asked time.Time
	said  []command
	ours  []forge.Comment
	read  time.Time // when the comments were
	known bool      // its head is that of a pull request from the repository itself
	// urgent is one that people wait for; the others are only out of date.
	urgent bool
}

// ask puts a pull request on the stack's list if it has to be planned: because
// it is new, has new commits, because somebody asked or approved, or because
// plans are out of date.
func (s *Stack) ask(pull forge.Pull, t *talk, known bool, stale, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.plans[pull.Number]
	urgent := !ok || before.head != pull.Head || before.asked.Before(t.asked) || before.approved != hashes(t.approvals()) || before.known != known
	again := before.run.Before(stale) || !before.again.IsZero() && !now.Before(before.again)
	if _, waits := s.jobs[pull.Number]; !urgent && !again && !waits {
		return
	}
	s.jobs[pull.Number] = job{pull, t.asked, t.said, t.ours, t.read, known, urgent}
	signal(s.more)
}

// next takes the job whose pull request has waited longest for a plan: urgent
// ones and others in turns, so that neither they nor a pull request that is
// pushed to without end keep others from being planned.
func (s *Stack) next() (j job, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = !s.turn
	before := func(a, b job) bool {
		if a.urgent != b.urgent {
			return a.urgent == s.turn
		}
		x, y := s.plans[a.pull.Number].run, s.plans[b.pull.Number].run
		return x.Before(y) || x.Equal(y) && a.pull.Number < b.pull.Number
	}
	for _, one := range s.jobs {
		if !ok || before(one, j) {
			j, ok = one, true
		}
	}
	delete(s.jobs, j.pull.Number)
	return j, ok
}

// work plans until nothing is left to be planned.
func (s *Stack) work(ctx context.Context) {
	for ctx.Err() == nil {
		j, ok := s.next()
		if !ok {
			return
		}
		s.look(ctx, j)
	}
}

// serve plans whatever there is to be planned until ctx ends. Each stack does it
// by itself: a cloud that does not answer holds up no other stack's plans.
func (s *Stack) serve(ctx context.Context) {
	for {
		s.work(ctx)
		select {
		case <-ctx.Done():
			return
		case <-s.more:
		}
	}
}

// mayPlan tells whether a commit of the pull request may be planned against the
// cloud: of a fork, only what somebody who may push has asked for. That is a
// commit which is named, or the one that our comment showed when it was said.
func (j job) mayPlan(head string) bool {
	if !j.pull.Fork || j.known && head == j.pull.Head {
		return true
	}
	return slices.ContainsFunc(j.said, func(cmd command) bool {
		return cmd.verb == verbPlan && cmd.known() && (cmd.hash == head || cmd.hash == "" && seen(cmd, head, j.ours))
	})
}

// seen tells whether a comment of ours was about a commit when a command was
// said.
func seen(cmd command, head string, ours []forge.Comment) bool {
	return slices.ContainsFunc(planComments(ours, ""), func(m forge.Marker) bool { return m.Head == head && cmd.comment > m.After })
}
