package service

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
)

// How long it is waited before a stack is served again that could not be.
const (
	firstPause = time.Second
	longPause  = time.Minute
)

// runner serves stacks, each by itself: one that starts, ends or fails touches no other. It knows them by name, and neither what serving
// one is nor why they come and go.
type runner struct {
	// serve serves a stack until ctx ends and what was in flight has ended, too. Its error says why the stack cannot be
	// served: it is tried again, after pauses that grow.
	serve func(ctx context.Context, stack string) error
	log   *slog.Logger

	mu     sync.Mutex
	wanted map[string]string // by stack, what tells it from another one of that name
	served map[string]slot
	ctx    context.Context // in which stacks are served; nil while none is
	all    sync.WaitGroup
}

// slot has a stack that is served, or that has not ended yet.
type slot struct {
	is  string
	end context.CancelFunc
}

// set says which stacks are to be served from now on: by name, and what tells each from another one of that name. Those that
// are served already are left alone. It does not wait for those that end.
func (r *runner) set(stacks map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = maps.Clone(stacks)
	r.adjust()
}

// run serves the stacks until ctx ends and nothing is in flight any more.
func (r *runner) run(ctx context.Context) {
	r.mu.Lock()
	r.ctx, r.served = ctx, map[string]slot{}
	r.adjust()
	r.mu.Unlock()
	<-ctx.Done()
	r.mu.Lock()
	r.ctx = nil
	r.mu.Unlock()
	r.all.Wait()
}

// adjust ends what is not wanted any more, and starts what is wanted and not there: another stack of a name begins when the
// one before has ended. It is called with the lock held.
func (r *runner) adjust() {
	if r.ctx == nil {
		return
	}
	for name, one := range r.served {
		if is, wanted := r.wanted[name]; !wanted || is != one.is {
			one.end()
		}
	}
	for name, is := range r.wanted {
		if _, there := r.served[name]; !there {
			r.start(name, is)
		}
	}
}

func (r *runner) start(name, is string) {
	ctx, end := context.WithCancel(r.ctx)
	r.served[name] = slot{is, end}
	r.all.Go(func() {
		defer end()
		r.keep(ctx, name)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.served, name)
		r.adjust()
	})
}

// keep serves a stack until ctx ends.
func (r *runner) keep(ctx context.Context, name string) {
	for failures := 0; ctx.Err() == nil; {
		err := r.serve(ctx, name)
		if ctx.Err() != nil {
			return
		}
		failures++
		pause := backoff.Pause(firstPause, longPause, failures)
		r.log.Error("the stack cannot be served; it is tried again", "stack", name, "in", pause, "error", err)
		if backoff.Wait(ctx, pause) != nil {
			return
		}
	}
}
