package agent

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// atOnce is the number of stacks of a process that can have a turn at the same time.
	atOnce = 32
	// longTurn is the time after which a stack in a pass gives up its turn. After that time, a pass mostly waits for the cloud.
	longTurn = 30 * time.Second
)

// Turns limits how many stacks log in, list their clouds and start to change them at the same time. Stacks get their turns in the order of
// their requests. The limit is needed because a pass sends more requests and uses more memory in a larger project, and because every stack
// runs a pass after a start. A long pass loses its turn, so that a slow cloud does not delay the other stacks.
type Turns struct {
	mu      sync.Mutex
	taken   int
	waiting []*turn // in the order of their requests
}

// NewTurns returns the turns for the stacks of a process.
func NewTurns() *Turns { return &Turns{} }

// turn is a place in the queue, and later the turn of a stack.
type turn struct {
	of      *Turns        // nil if there is no limit
	granted chan struct{} // closed when the turn begins
	limit   *time.Timer   // ends the turn; nil until it begins
	ended   bool
}

// queue takes the last place in the queue.
func (t *Turns) queue() *turn {
	one := &turn{of: t, granted: make(chan struct{})}
	if t == nil {
		close(one.granted)
		return one
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, one)
	t.grant()
	return one
}

// grant begins as many turns as possible. The caller holds the lock.
func (t *Turns) grant() {
	for t.taken < atOnce && len(t.waiting) > 0 {
		one := t.waiting[0]
		t.waiting[0], t.waiting = nil, t.waiting[1:]
		t.taken++
		one.limit = time.AfterFunc(longTurn, one.end)
		close(one.granted)
	}
}

// end ends the turn, or gives up the place in the queue. It may be called several times, and for no turn.
func (o *turn) end() {
	if o == nil || o.of == nil {
		return
	}
	t := o.of
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case o.ended:
		return
	case o.limit == nil:
		t.waiting = slices.DeleteFunc(t.waiting, func(other *turn) bool { return other == o })
	default:
		o.limit.Stop()
		t.taken--
		t.grant()
	}
	o.ended = true
}

// over reports whether the turn has ended.
func (o *turn) over() bool {
	if o.of == nil {
		return false
	}
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	return o.ended
}

// queue returns a channel that is closed when the stack's turn begins. A stack keeps its place in the queue, and its turn, until endTurn. So a
// look and the pass after it have one turn, and a run that a commit starts while a look waits does not begin to wait again.
func (s *Loop) queue() <-chan struct{} {
	if s.turn == nil || s.turn.over() {
		s.turn = s.Turns.queue()
	}
	return s.turn.granted
}

// takeTurn waits for the stack's turn. It reports false if ctx has ended or the stack must leave.
func (s *Loop) takeTurn(ctx context.Context) bool {
	select {
	case <-s.queue():
		return true
	case <-ctx.Done():
	case <-s.Leave: // a nil channel blocks
	}
	return false
}

// endTurn ends the stack's turn, or gives up its place in the queue.
func (s *Loop) endTurn() {
	s.turn.end()
	s.turn = nil
}
