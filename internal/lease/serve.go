package lease

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// running is a stack that this agent serves.
type running struct {
	hold      *Hold
	published []byte
	began     time.Time
}

// failure counts how often serving a stack has ended although nothing requested that.
type failure struct {
	times int       // times in a row
	last  time.Time // time of the last failure
}

// failuresBeforeGiveUp is the number of failures in a row after which another agent should serve the stack.
const failuresBeforeGiveUp = 3

// act carries out the decision about one stack.
func (s *session) act(ctx context.Context, v View, stack string) error {
	now, here, failed := time.Now(), s.running[stack], s.failed[stack]
	if here != nil {
		failed = failure{} // the stack is served again
	}
	action := v.decide(stack, situation{
		agent: s.Name, lease: s.id, periods: s.Periods, settled: now.Sub(s.began),
		free: s.free.ageOf(freeKey(stack, v), now), arrived: s.arrived.ageOf(v.preferred(stack).key(), now),
		failed: failed.times, sinceFailure: now.Sub(failed.last),
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
		s.Log.Warn("serving a stack has failed several times; another agent may try it", "stack", stack, "times", failed.times)
		return s.release(ctx, stack)
	case here != nil: // the key is gone, or another agent has it
		here.hold.markTaken()
	case action == Take:
		return s.take(ctx, stack)
	}
	return nil
}

// unshare ends the serving of stacks that are no longer shared, once the pass in progress has ended. Then it removes their keys.
func (s *session) unshare(ctx context.Context, v View, wanted []string) error {
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

// release removes the key of a stack that this agent does not serve.
func (s *session) release(ctx context.Context, stack string) error {
	_, err := s.write(ctx, stackKeys+stack, nil)
	return err
}

// take writes the key of a free stack and starts to serve it, unless another agent is faster.
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

// write writes a key. Its time limit is the time until the next renewal.
func (s *session) write(ctx context.Context, key string, value []byte) (bool, error) {
	within, cancel := context.WithTimeout(ctx, max(s.Periods.Retry(), s.term.untilRenewal(time.Now())))
	defer cancel()
	held, err := s.Store.Write(within, s.id, key, value)
	if leaseEnded(err) {
		s.term.end()
	}
	return held, err
}

func (s *session) value(of Summary) ([]byte, error) {
	return json.Marshal(Holder{Agent: s.Name, Address: s.Address, Summary: of})
}

// publish writes the summary of a stack if it has changed.
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
		here.hold.markTaken()
		return nil
	}
	here.published = text
	return nil
}

// serve starts to serve a stack whose key this agent has.
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
			s.Log.Info("stopped serving a stack", "stack", stack, "why", why.Error())
		}
		h.finish(ctx)
		s.finished <- stack
	})
}

// ended records that a stack is not served any more, and reports whether this agent requested the end.
func (s *session) ended(stack string) (asked bool) {
	here := s.running[stack]
	delete(s.running, stack)
	s.term.drop(here.hold)
	now, f := time.Now(), s.failed[stack]
	if asked = here.hold.askedToEnd(); asked {
		return true
	}
	if now.Sub(here.began) >= s.Periods.TTL {
		f.times = 0 // after a long success, earlier failures do not count
	}
	s.failed[stack] = failure{f.times + 1, now}
	return false
}
