package lease

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

// session is the state of this agent during one lease.
type session struct {
	*Member
	id    ID
	term  *term
	began time.Time

	running  map[string]*running // by stack; only loop and its calls use it
	next     int                 // index of the stack with which a round begins
	all      sync.WaitGroup
	finished chan string // receives each stack that is not served any more
	failed   map[string]failure
	// free has the time since which each stack is free, and arrived has the time since which each agent is registered.
	free, arrived ages
}

// ages maps keys to the time since which each key has been present.
type ages map[string]time.Time

// keep removes the keys that are not in keys, and adds those that are new.
func (a ages) keep(keys map[string]bool, now time.Time) {
	maps.DeleteFunc(a, func(key string, _ time.Time) bool { return !keys[key] })
	for key := range keys {
		if _, known := a[key]; !known {
			a[key] = now
		}
	}
}

func (a ages) ageOf(key string, now time.Time) time.Duration {
	if since, ok := a[key]; ok {
		return now.Sub(since)
	}
	return 0
}

// loop renews the lease, lists the keys and acts on them until the lease or ctx has ended.
func (s *session) loop(ctx context.Context) error {
	for {
		began, next := time.Now(), s.Periods.Renew()
		switch err := s.round(ctx); {
		case leaseEnded(err):
			return err
		case err != nil && ctx.Err() == nil:
			s.complain("several agents: " + err.Error())
			next = s.Periods.Retry()
		default:
			s.complain("")
		}
		if !s.waitForRound(ctx, max(s.Periods.Retry(), next-time.Since(began))) {
			return nil
		}
	}
}

// waitForRound waits for the next round. It returns earlier if a stack must be handed over or served again, or if the list of stacks has
// changed. It returns false if ctx has ended. If serving a stack has failed, it continues to wait: the stack is tried again later, and the
// lease must be renewed in time.
func (s *session) waitForRound(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-s.changes():
			return true
		case stack := <-s.finished:
			if s.ended(stack) {
				return true
			}
		}
	}
}

// round renews the lease, lists the keys and carries out the decision about each stack.
func (s *session) round(ctx context.Context) error {
	if err := s.renew(ctx); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, s.Periods.Renew())
	defer cancel()
	records, err := s.Store.List(within)
	if err != nil {
		return fmt.Errorf("list the agents and their stacks: %w", err)
	}
	v := viewOf(records)
	if v.Agents[s.Name].lease != s.id {
		if err := s.register(ctx); err != nil {
			s.term.end()
			return fmt.Errorf("%w: %w", ErrEnded, err)
		}
	}
	s.recordView(v)
	stacks := s.wanted()
	if err := s.unshare(ctx, v, stacks); err != nil {
		return err
	}
	for range stacks {
		if !s.term.fresh(time.Now()) || ctx.Err() != nil {
			return nil // the other stacks follow after the next renewal
		}
		stack := stacks[s.next%len(stacks)]
		s.next = (s.next + 1) % len(stacks)
		if err := s.act(ctx, v, stack); err != nil {
			return fmt.Errorf("stack %s: %w", stack, err)
		}
	}
	return nil
}

func (s *session) renew(ctx context.Context) error {
	sent := time.Now()
	within, cancel := context.WithTimeout(ctx, s.Periods.Start())
	defer cancel()
	err := s.Store.Renew(within, s.id)
	switch {
	case err == nil:
		s.term.recordRenewal(sent)
		return nil
	case leaseEnded(err):
		s.term.end()
	}
	return fmt.Errorf("renew the lease: %w", err)
}

// recordView stores a new view, and updates the times since which stacks are free and agents are registered.
func (s *session) recordView(v View) {
	now, free, arrived := time.Now(), map[string]bool{}, map[string]bool{}
	for _, stack := range s.wanted() {
		if _, held := v.Stacks[stack]; !held {
			free[freeKey(stack, v)] = true
		}
	}
	for _, a := range v.Agents {
		arrived[a.key()] = true
	}
	s.free.keep(free, now)
	s.arrived.keep(arrived, now)
	s.mu.Lock()
	s.view = v
	s.mu.Unlock()
	if s.Seen != nil {
		s.Seen(v)
	}
}

// freeKey contains the preferred agent, so that the time for which a stack is free starts again if another agent is preferred.
func freeKey(stack string, v View) string { return stack + "\x00" + v.preferred(stack).Name }

func (a Agent) key() string { return fmt.Sprintf("%s\x00%d", a.Name, a.Since) }

// close ends the serving of all stacks, and then the lease, so that other agents need not wait until it expires. It renews the lease until
// then.
func (s *session) close(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	s.term.lose(ErrLost)
	quiet := make(chan struct{})
	go func() { s.all.Wait(); close(quiet) }()
	ticks := time.NewTicker(s.Periods.Renew())
	defer ticks.Stop()
	for done := false; !done; {
		select {
		case <-quiet:
			done = true
		case <-s.finished:
		case <-ticks.C:
			_ = s.renew(ctx) // without a renewal, the stacks end when their time is over
		}
	}
	s.term.end()
	within, cancel := context.WithTimeout(ctx, s.Periods.Renew())
	defer cancel()
	if err := s.Store.Revoke(within, s.id); err != nil && !leaseEnded(err) {
		s.Log.Debug("the lease could not be ended; other agents wait until it has expired", "error", err)
	}
}
