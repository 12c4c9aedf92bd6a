package agent

import (
	"slices"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Standing is how the stacks of a process stand, for those that depend on others: nothing of such a stack is carried
// out before those are in sync. It is known since the process began, and a stack that it does not run is not waited for.
type Standing struct {
	mu      sync.Mutex
	of      map[string]plan.Outcome // of the newest check of each stack; Broken before the first
	on      map[*Loop][]string      // those that a stack depends on
	waiting map[string][]*Loop      // those that depend on a stack
	due     map[string][]*Loop      // those of them that are to be checked once it is in sync
}

// NewStanding is how stacks stand that have not been checked yet. Each is given it as its Standing.
func NewStanding(stacks []*Loop) *Standing {
	s := &Standing{of: map[string]plan.Outcome{}, on: map[*Loop][]string{}, waiting: map[string][]*Loop{}, due: map[string][]*Loop{}}
	for _, l := range stacks {
		s.Expect(l.Name)
		s.Join(l)
	}
	return s
}

// Expect has those that depend on a stack wait until it is in sync, whoever serves it.
func (s *Standing) Expect(stack string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[stack] = plan.Broken
}

// Join has a stack told when those are in sync that it depends on, until it is told to leave.
func (s *Standing) Join(l *Loop) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.Standing = s
	s.depend(l, l.DependsOn)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.depend(l, nil)
		delete(s.on, l)
	}
}

// Depend has a stack that has joined depend on these from now on. It is checked if it had to wait for one that is not among them.
func (s *Standing) Depend(l *Loop, on []string) {
	s.mu.Lock()
	waited := 0
	for name, loops := range s.due {
		if slices.Contains(loops, l) && !slices.Contains(on, name) {
			waited++
		}
	}
	if _, joined := s.on[l]; joined && !slices.Equal(s.on[l], on) {
		s.depend(l, on)
	}
	s.mu.Unlock()
	if waited > 0 {
		l.Check()
	}
}

// depend is called with the lock held.
func (s *Standing) depend(l *Loop, on []string) {
	for _, name := range s.on[l] {
		if !slices.Contains(on, name) {
			without(s.waiting, name, l)
			without(s.due, name, l)
		}
	}
	for _, name := range on {
		if !slices.Contains(s.waiting[name], l) {
			s.waiting[name] = append(s.waiting[name], l)
		}
	}
	s.on[l] = on
}

func without(list map[string][]*Loop, name string, l *Loop) {
	list[name] = slices.DeleteFunc(list[name], func(o *Loop) bool { return o == l })
	if len(list[name]) == 0 {
		delete(list, name)
	}
}

// Remove forgets a stack that is there no more: nothing waits for it.
func (s *Standing) Remove(stack string) {
	s.mu.Lock()
	next := s.due[stack]
	delete(s.of, stack)
	delete(s.due, stack)
	s.mu.Unlock()
	for _, l := range next {
		l.Check()
	}
}

// saw notes how a check of a stack ended.
func (s *Standing) saw(run report.Run) {
	if now, ok := stands(run); ok && s != nil {
		s.Note(run.Stack, now)
	}
}

// stands is how a stack stands after a run; ok is false when that came to nothing, since the source or the cloud was away: it
// says nothing new.
func stands(run report.Run) (now plan.Outcome, ok bool) {
	switch {
	case run.Refused != nil:
		return plan.Invalid, true
	case run.Pass != nil:
		return run.Pass.Outcome(), true
	}
	return plan.Broken, false
}

// Note notes how a stack stands, whoever has checked it. When it is in sync, those are checked that had to wait for it, or were in
// sync with how it was before; one that has not begun its first check does not need another.
func (s *Standing) Note(stack string, now plan.Outcome) {
	s.mu.Lock()
	before, expected := s.of[stack]
	if expected {
		s.of[stack] = now
	}
	var next []*Loop
	switch {
	case now == plan.InSync:
		next = s.due[stack]
		delete(s.due, stack)
	case before == plan.InSync:
		s.due[stack] = slices.Clone(s.waiting[stack])
	}
	s.mu.Unlock()
	for _, l := range next {
		l.Check()
	}
}

// waits are the stacks that are not in sync among those that one depends on. It is checked when they are.
func (s *Standing) waits(l *Loop) (list []string) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range s.on[l] {
		if outcome, run := s.of[name]; run && outcome != plan.InSync {
			list = append(list, name)
			if !slices.Contains(s.due[name], l) {
				s.due[name] = append(s.due[name], l)
			}
		}
	}
	return list
}

// depends has a stack wait for those that it depends on.
func (s *Loop) depends() []plan.Policy {
	list := s.Standing.waits(s)
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return []plan.Policy{guard.Suspend("it waits until stack " + strings.Join(list, " and stack ") + " is in sync")}
}

// InOrder calls do for each stack, by its place in the list: for all at the same time, but for those that depend on others
// after those.
func InOrder(stacks []*Loop, do func(i int)) {
	NewStanding(stacks)
	done := map[string]chan struct{}{}
	for _, l := range stacks {
		done[l.Name] = make(chan struct{})
	}
	var all sync.WaitGroup
	for i, l := range stacks {
		all.Go(func() {
			defer close(done[l.Name])
			for _, name := range l.DependsOn {
				if ended := done[name]; ended != nil {
					<-ended
				}
			}
			do(i)
		})
	}
	all.Wait()
}
