package pulls

import (
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// job is a pull request that a stack has to plan.
type job struct {
	pull      forge.Pull
	asked     time.Time
	approvals []approval
	comments  []forge.Comment
	read      time.Time // when the comments were
	// urgent is one that people wait for; the others are only out of date.
	urgent bool
}

// ask puts a pull request on the stack's list if it has to be planned: because
// it is new, has new commits, because somebody asked or approved, or because
// plans are out of date.
func (s *Stack) ask(pull forge.Pull, t *talk, stale, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.plans[pull.Number]
	urgent := !ok || before.head != pull.Head || before.asked.Before(t.asked) || before.approved != hashes(t.approvals)
	again := before.run.Before(stale) || !before.again.IsZero() && !now.Before(before.again)
	if _, waits := s.jobs[pull.Number]; !urgent && !again && !waits {
		return
	}
	s.jobs[pull.Number] = job{pull, t.asked, t.approvals, t.comments, t.read, urgent}
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
