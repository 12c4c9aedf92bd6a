package service

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
)

// firstPause is the pause after a stack has failed to start for the first time. The pause grows up to maxPause.
const (
	firstPause = time.Second
	maxPause   = time.Minute
)

// runner serves stacks independently: if one of them starts, ends or fails, the others are not affected. It uses only their names and
// identities. It does not know how a stack is served, or why stacks are added and removed.
type runner struct {
	// serve serves a stack until ctx ends and the work in flight has ended, too. Its error is the reason why the stack cannot be served. After
	// an error, the stack is tried again after growing pauses.
	serve func(ctx context.Context, stack string) error
	log   *slog.Logger

	mu     sync.Mutex
	wanted map[string]string // identity of each stack to serve, by name
	served map[string]slot
	ctx    context.Context // the context in which stacks are served; nil while run does not run
	all    sync.WaitGroup
}

// slot holds a stack that is served, or that has not ended yet.
type slot struct {
	is  string
	end context.CancelFunc
}

// set replaces the stacks to serve: their identities by name. Stacks that are served already continue. set does not wait for stacks that are
// ending.
func (r *runner) set(stacks map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = maps.Clone(stacks)
	r.adjust()
}

// run serves the stacks until ctx has ended and no stack is served any more.
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

// adjust ends the stacks that are no longer wanted, and starts the wanted stacks that are not served yet. If another stack has the same name,
// the new one starts when the old one has ended. The caller holds the lock.
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

// keep serves a stack until ctx ends, and tries again after errors.
func (r *runner) keep(ctx context.Context, name string) {
	for failures := 0; ctx.Err() == nil; {
		err := r.serve(ctx, name)
		if ctx.Err() != nil {
			return
		}
		failures++
		pause := backoff.Pause(firstPause, maxPause, failures)
		r.log.Error("the stack cannot be served; the agent tries again", "stack", name, "in", pause, "error", err)
		if backoff.Wait(ctx, pause) != nil {
			return
		}
	}
}
