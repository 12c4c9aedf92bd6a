package lease

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

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

// act does with a stack what is to be done by the one who has it, or could have it.
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

// drop lets go of the stacks that are ours and not wanted any more: the pass in progress ends before.
func (s *session) drop(ctx context.Context, v View, wanted []string) error {
	for stack, here := range s.running {
		if !slices.Contains(wanted, stack) {
			here.hold.handOver()
		}
	}
	for stack, holder := range v.Stacks {
		if s.running[stack] != nil || holder.lease != s.id || slices.Contains(wanted, stack) {
			continue
		}
		delete(s.failed, stack)
		if err := s.release(ctx, stack); err != nil {
			return fmt.Errorf("stack %s: %w", stack, err)
		}
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
