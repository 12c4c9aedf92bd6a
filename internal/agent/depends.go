package agent

import (
	"slices"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Dependencies stores the outcomes of stacks, for the stacks that depend on others. Nothing of a dependent stack is carried out before the
// stacks that it depends on are in sync. Only checks since the start of the process count. A name is ignored unless [Dependencies.Expect] was
// called for it.
type Dependencies struct {
	mu        sync.Mutex
	outcomes  map[string]plan.Outcome // outcome of each stack's newest check; Broken before the first check.
	dependsOn map[*Loop][]string      // the names of the stacks that a stack depends on
	waiting   map[string][]*Loop      // the stacks that depend on a stack
	due       map[string][]*Loop      // the waiting stacks that must be checked once a stack is in sync
}

// NewDependencies returns dependencies that no stack has joined yet.
func NewDependencies() *Dependencies {
	return &Dependencies{outcomes: map[string]plan.Outcome{}, dependsOn: map[*Loop][]string{}, waiting: map[string][]*Loop{}, due: map[string][]*Loop{}}
}

// Expect makes the stacks that depend on this one wait until it is in sync, no matter which agent serves it.
func (s *Dependencies) Expect(stack string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcomes[stack] = plan.Broken
}

// Join adds a stack, whose [Process] has these dependencies. From now on, the stack is checked when a stack that it waits for gets in sync. leave
// removes the stack again.
func (s *Dependencies) Join(l *Loop) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.depend(l, l.DependsOn)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.depend(l, nil)
		delete(s.dependsOn, l)
	}
}

// Depend replaces the dependencies of a stack that has joined. If the stack waited for one that it no longer
// depends on, it is checked.
func (s *Dependencies) Depend(l *Loop, on []string) {
	s.mu.Lock()
	waited := 0
	for name, loops := range s.due {
		if slices.Contains(loops, l) && !slices.Contains(on, name) {
			waited++
		}
	}
	if _, joined := s.dependsOn[l]; joined && !slices.Equal(s.dependsOn[l], on) {
		s.depend(l, on)
	}
	s.mu.Unlock()
	if waited > 0 {
		l.Signals.Check()
	}
}

// depend replaces the dependencies of a stack. The caller holds the lock.
func (s *Dependencies) depend(l *Loop, on []string) {
	for _, name := range s.dependsOn[l] {
		if !slices.Contains(on, name) {
			removeLoop(s.waiting, name, l)
			removeLoop(s.due, name, l)
		}
	}
	for _, name := range on {
		if !slices.Contains(s.waiting[name], l) {
			s.waiting[name] = append(s.waiting[name], l)
		}
	}
	s.dependsOn[l] = on
}

func removeLoop(list map[string][]*Loop, name string, l *Loop) {
	list[name] = slices.DeleteFunc(list[name], func(o *Loop) bool { return o == l })
	if len(list[name]) == 0 {
		delete(list, name)
	}
}

// Remove removes a stack that no longer exists, so that no stack waits for it.
func (s *Dependencies) Remove(stack string) {
	s.mu.Lock()
	next := s.due[stack]
	delete(s.outcomes, stack)
	delete(s.due, stack)
	s.mu.Unlock()
	for _, l := range next {
		l.Signals.Check()
	}
}

// storeRun stores the outcome of a run of a stack.
func (s *Dependencies) storeRun(run report.Run) {
	if now, ok := outcomeOf(run); ok && s != nil {
		s.SetOutcome(run.Stack, now)
	}
}

// outcomeOf returns the outcome of a stack after a run. ok is false if the source or the cloud was down, so that the run found nothing new.
func outcomeOf(run report.Run) (now plan.Outcome, ok bool) {
	switch {
	case run.Refused != nil:
		return plan.Invalid, true
	case run.Pass != nil:
		return run.Pass.Outcome(), true
	}
	return plan.Broken, false
}

// SetOutcome stores the state of a stack, no matter which agent has checked it. When the stack gets in sync, the stacks that waited for it
// are checked. When it is in sync no longer, all stacks that depend on it will be checked once it is in sync again. A stack does not wait
// before its first check, because that check is already due.
func (s *Dependencies) SetOutcome(stack string, now plan.Outcome) {
	s.mu.Lock()
	before, expected := s.outcomes[stack]
	if expected {
		s.outcomes[stack] = now
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
		l.Signals.Check()
	}
}

// unsynced returns the stacks that l depends on and that are not in sync. l is checked once they are in sync.
func (s *Dependencies) unsynced(l *Loop) (list []string) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range s.dependsOn[l] {
		if outcome, run := s.outcomes[name]; run && outcome != plan.InSync {
			list = append(list, name)
			if !slices.Contains(s.due[name], l) {
				s.due[name] = append(s.due[name], l)
			}
		}
	}
	return list
}

// depends returns the policy that makes the stack wait until the stacks that it depends on are in sync.
func (s *Loop) depends() []plan.Policy {
	list := s.Dependencies.unsynced(s)
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return []plan.Policy{guard.Suspend("it waits until stack " + strings.Join(list, " and stack ") + " is in sync")}
}

// InOrder calls do for each stack with its index in the list. The calls run at the same time, but the call for a stack starts
// only after the calls for the stacks that it depends on.
func InOrder(stacks []*Loop, do func(i int)) {
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
