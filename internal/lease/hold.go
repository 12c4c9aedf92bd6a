package lease

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Hold is the right to serve one stack. It is safe for concurrent use.
type Hold struct {
	Stack string
	// Grace is the time for which requests in flight may continue after the context of serving has ended.
	Grace time.Duration

	term  *term
	end   context.CancelCauseFunc // ends the context in which the stack is served
	dead  context.Context         // ends when nothing may be written any more
	kill  context.CancelCauseFunc // ends dead
	leave chan struct{}
	once  sync.Once

	mu     sync.Mutex
	lost   error
	wanted bool // whether this agent requested the end of serving
}

// Check is called before every write to the cloud and to forges. An error means that another agent serves the stack, or may serve it, so
// nothing may be written any more. The error also ends serving.
func (h *Hold) Check() error {
	err := h.whyLost()
	if err == nil {
		err = context.Cause(h.dead)
	}
	if err == nil {
		err = h.term.writes(time.Now())
	}
	if err != nil {
		h.end(err)
		return fmt.Errorf("nothing is written: %w: %w", ErrLost, err)
	}
	return nil
}

// Within calls [Hold.Check], and returns a context for the write, which ends when the right to write ends.
func (h *Hold) Within(ctx context.Context) (context.Context, error) {
	if err := h.Check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(h.dead, func() { cancel(ErrLost) })
	context.AfterFunc(ctx, func() { stop() })
	return ctx, nil
}

// Leave returns a channel that is closed when the pass in progress must be the last one, because another agent will serve the stack.
func (h *Hold) Leave() <-chan struct{} { return h.leave }

func (h *Hold) whyLost() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost
}

// finish records that the stack is not served any more.
func (h *Hold) finish(ctx context.Context) {
	leaves := false
	select {
	case <-h.leave:
		leaves = true
	default:
	}
	h.mu.Lock()
	h.wanted = leaves || ctx.Err() != nil
	h.mu.Unlock()
	h.end(nil)
	h.kill(ErrLost) // ends work outside of passes, such as uploads
}

// askedToEnd reports whether serving ended because this agent requested it.
func (h *Hold) askedToEnd() bool { h.mu.Lock(); defer h.mu.Unlock(); return h.wanted }

// lose ends serving without delay. Requests in flight may write for as long as the lease allows it, unless another agent has the stack.
func (h *Hold) lose(why error) { h.end(why) }

// markTaken records that another agent has the stack.
func (h *Hold) markTaken() {
	h.mu.Lock()
	h.lost = ErrEnded
	h.mu.Unlock()
	h.end(ErrLost)
	h.kill(ErrLost)
}

func (h *Hold) handOver() { h.once.Do(func() { close(h.leave) }) }
