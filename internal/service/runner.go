// Package service runs the stacks of a process, each by itself: one that starts, ends or fails touches no other.
//
//	which stacks there are ─▶ Set ─▶ start, leave alone, end ─▶ Serve
//	                                        ▲                     │
//	                                        └── try again, follow ┘
//
// It knows stacks by name, and neither what serving one is nor why stacks come and go.
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

// Runner serves stacks. Its exported fields are read-only once it is in use.
type Runner struct {
	// Serve serves a stack until ctx ends and what was in flight has ended, too. Its error says why the stack cannot be
	// served: it is tried again, after pauses that grow.
	Serve func(ctx context.Context, stack string) error
	Log   *slog.Logger

	mu     sync.Mutex
	wanted map[string]string // by stack, what tells it from another one of that name
	served map[string]served
	ctx    context.Context // in which stacks are served; nil while none is
	all    sync.WaitGroup
}

// served is a stack that is served, or that has not ended yet.
type served struct {
	is  string
	end context.CancelFunc
}

// Set says which stacks are to be served from now on: by name, and what tells each from another one of that name. Those that
// are served already are left alone. It does not wait for those that end.
func (r *Runner) Set(stacks map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = maps.Clone(stacks)
	r.adjust()
}

// Run serves the stacks until ctx ends and nothing is in flight any more.
func (r *Runner) Run(ctx context.Context) {
	r.mu.Lock()
	r.ctx, r.served = ctx, map[string]served{}
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
func (r *Runner) adjust() {
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

func (r *Runner) start(name, is string) {
	ctx, end := context.WithCancel(r.ctx)
	r.served[name] = served{is, end}
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
func (r *Runner) keep(ctx context.Context, name string) {
	for failures := 0; ctx.Err() == nil; {
		err := r.Serve(ctx, name)
		if ctx.Err() != nil {
			return
		}
		failures++
		pause := backoff.Pause(firstPause, longPause, failures)
		r.Log.Error("the stack cannot be served; it is tried again", "stack", name, "in", pause, "error", err)
		if backoff.Wait(ctx, pause) != nil {
			return
		}
	}
}
