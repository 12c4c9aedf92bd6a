package lease

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"
)

// session is the time of one lease.
type session struct {
	*Member
	id    ID
	term  *term
	began time.Time

	running map[string]*running // by stack; used by the loop alone
	next    int                 // of the stacks, the one that a round begins with
	all     sync.WaitGroup
	over    chan string // stacks that are not served any more
	failed  map[string]failure
	// free is since when stacks are without anybody, arrived since when agents are there.
	free, arrived ages
}

// running is a stack that is served here.
type running struct {
	hold      *Hold
	published []byte
	began     time.Time
}

// failure is a stack that nobody told us to leave, and that is not served any more.
type failure struct {
	times int       // one after the other
	last  time.Time // when it was noticed
}

// several failures, one after the other, are a reason to let another agent have the stack.
const several = 3

// ages says since when something is so.
type ages map[string]time.Time

// keep forgets what is not so any more, and notes what is.
func (a ages) keep(keys map[string]bool, now time.Time) {
	maps.DeleteFunc(a, func(key string, _ time.Time) bool { return !keys[key] })
	for key := range keys {
		if _, known := a[key]; !known {
			a[key] = now
		}
	}
}

func (a ages) of(key string, now time.Time) time.Duration {
	if since, ok := a[key]; ok {
		return now.Sub(since)
	}
	return 0
}

// loop renews, lists and acts until the lease has ended, or ctx.
func (s *session) loop(ctx context.Context) error {
	for {
		began, next := time.Now(), s.Periods.Renew()
		switch err := s.round(ctx); {
		case isOver(err):
			return err
		case err != nil && ctx.Err() == nil:
			s.complain("several agents: " + err.Error())
			next = s.Periods.Retry()
		default:
			s.complain("")
		}
		if !s.rest(ctx, max(s.Periods.Retry(), next-time.Since(began))) {
			return nil
		}
	}
}

// rest waits for the next round, which comes earlier when a stack is to be handed over or served again; false when ctx has ended.
// A stack that ended by itself is no reason for one: it is tried again, not at once, and the lease is renewed in time meanwhile.
func (s *session) rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case stack := <-s.over:
			if s.ended(stack) {
				return true
			}
		}
	}
}

// ended takes note that a stack is not served any more; asked is whether it was to be so.
func (s *session) ended(stack string) (asked bool) {
	here := s.running[stack]
	delete(s.running, stack)
	s.term.drop(here.hold)
	now, f := time.Now(), s.failed[stack]
	if asked = here.hold.asked(); asked {
		return true
	}
	if now.Sub(here.began) >= s.Periods.TTL {
		f.times = 0 // what went well for so long is none of them
	}
	s.failed[stack] = failure{f.times + 1, now}
	return false
}

// round is one turn: renew, list, act.
func (s *session) round(ctx context.Context) error {
	if err := s.renew(ctx); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, s.Periods.Renew())
	defer cancel()
	records, err := s.Store.List(within)
	if err != nil {
		return fmt.Errorf("list who serves what: %w", err)
	}
	v := viewOf(records)
	if v.Agents[s.Name].lease != s.id {
		if err := s.register(ctx); err != nil {
			s.term.end()
			return fmt.Errorf("%w: %w", ErrEnded, err)
		}
	}
	s.see(v)
	for range s.Stacks {
		if !s.term.fresh(time.Now()) || ctx.Err() != nil {
			return nil // the rest follows when the lease was renewed
		}
		stack := s.Stacks[s.next]
		s.next = (s.next + 1) % len(s.Stacks)
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
		s.term.again(sent)
		return nil
	case isOver(err):
		s.term.end()
	}
	return fmt.Errorf("renew the lease: %w", err)
}

// see takes note of what was listed.
func (s *session) see(v View) {
	now, free, arrived := time.Now(), map[string]bool{}, map[string]bool{}
	for _, stack := range s.Stacks {
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

// freeKey has the time begin anew when another agent is to take the stack.
func freeKey(stack string, v View) string { return stack + "\x00" + v.preferred(stack).Name }

func (a Agent) key() string { return fmt.Sprintf("%s\x00%d", a.Name, a.Since) }

func (s *session) act(ctx context.Context, v View, stack string) error {
	now, here, failed := time.Now(), s.running[stack], s.failed[stack]
	if here != nil {
		failed = failure{} // it is served again
	}
	action := v.decide(stack, situation{
		me: s.Name, lease: s.id, periods: s.Periods, settled: now.Sub(s.began),
		free: s.free.of(freeKey(stack, v), now), arrived: s.arrived.of(v.preferred(stack).key(), now),
		failed: failed.times, ago: now.Sub(failed.last),
	})
	switch {
	case action == Serve && here == nil:
		s.serve(ctx, stack)
	case action == Serve:
		return s.publish(ctx, stack, here)
	case action == HandOver && here != nil:
		here.hold.handOver()
	case action == HandOver:
		s.Log.Info("hands over a stack", "stack", stack, "to", v.preferred(stack).Name)
		return s.release(ctx, stack)
	case action == GiveUp:
		s.Log.Warn("serving a stack has failed several times; another agent may have it", "stack", stack, "times", failed.times)
		return s.release(ctx, stack)
	case here != nil: // the key is gone, or somebody else's
		here.hold.taken()
	case action == Take:
		return s.take(ctx, stack)
	}
	return nil
}

// release removes the key of a stack that we do not serve.
func (s *session) release(ctx context.Context, stack string) error {
	_, err := s.write(ctx, stackKeys+stack, nil)
	return err
}

// take takes a stack that nobody has, unless another one is faster.
func (s *session) take(ctx context.Context, stack string) error {
	text, err := s.value(Summary{})
	if err != nil {
		return err
	}
	held, err := s.write(ctx, stackKeys+stack, text)
	if err == nil && held && s.term.starts(time.Now()) {
		s.serve(ctx, stack)
	}
	return err
}

// write has as long as the next renewal is not due.
func (s *session) write(ctx context.Context, key string, value []byte) (bool, error) {
	within, cancel := context.WithTimeout(ctx, max(s.Periods.Retry(), s.term.left(time.Now())))
	defer cancel()
	held, err := s.Store.Write(within, s.id, key, value)
	if isOver(err) {
		s.term.end()
	}
	return held, err
}

func (s *session) value(of Summary) ([]byte, error) {
	return json.Marshal(Holder{Agent: s.Name, Address: s.Address, Summary: of})
}

// publish tells others how a stack is, where that is news.
func (s *session) publish(ctx context.Context, stack string, here *running) error {
	text, err := s.value(s.Summary(stack))
	if err != nil || bytes.Equal(text, here.published) {
		return err
	}
	held, err := s.write(ctx, stackKeys+stack, text)
	switch {
	case err != nil:
		return err
	case !held:
		here.hold.taken()
		return nil
	}
	here.published = text
	return nil
}

// serve begins to serve a stack that we have.
func (s *session) serve(ctx context.Context, stack string) {
	dead, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	ctx, end := context.WithCancelCause(ctx)
	h := &Hold{Stack: stack, Grace: s.Periods.Grace(), term: s.term, end: end, dead: dead, kill: kill, leave: make(chan struct{})}
	s.term.add(h)
	s.running[stack] = &running{hold: h, began: time.Now()}
	s.Log.Info("serves a stack", "stack", stack, "agent", s.Name)
	s.all.Go(func() {
		s.Serve(ctx, h)
		if why := context.Cause(ctx); why != nil {
			s.Log.Info("serves a stack no more", "stack", stack, "why", why.Error())
		}
		h.finish(ctx)
		s.over <- stack
	})
}

// close ends all that is served, and then the lease, so that others need not wait for its end. It is renewed meanwhile.
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
		case <-s.over:
		case <-ticks.C:
			_ = s.renew(ctx) // what is still served finds out by its clock
		}
	}
	s.term.end()
	within, cancel := context.WithTimeout(ctx, s.Periods.Renew())
	defer cancel()
	if err := s.Store.Revoke(within, s.id); err != nil && !isOver(err) {
		s.Log.Debug("the lease could not be ended; others wait until it has expired", "error", err)
	}
}
