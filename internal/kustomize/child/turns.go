package child

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/stackreeve/stackreeve/internal/kustomize"
)

// maxAtOnce is the number of processes that run at the same time. Each may use a processor and maxMemory.
const maxAtOnce = 2

// turns let few builds run at once, and let equal builds wait for the first one of them. The zero value is ready to use.
type turns struct {
	mu      sync.Mutex
	free    chan struct{}
	running map[[sha256.Size]byte]*running
}

// running is a build that others may wait for.
type running struct {
	done   chan struct{} // closed when the other fields are set
	output kustomize.Output
	err    error
	left   bool // the caller that ran the build gave up, so that one of those that wait builds again
}

// join runs the build. If an equal build already runs, join waits for it and returns its result.
func (t *turns) join(ctx context.Context, sum [sha256.Size]byte, build func() (kustomize.Output, error)) (kustomize.Output, error) {
	for {
		one, first := t.enter(sum)
		if first {
			one.output, one.err = build()
			one.left = one.err != nil && ctx.Err() != nil
			t.leave(sum, one)
			return one.output, one.err
		}
		select {
		case <-ctx.Done():
			return kustomize.Output{}, ctx.Err()
		case <-one.done:
			if !one.left {
				return one.output, one.err
			}
		}
	}
}

func (t *turns) enter(sum [sha256.Size]byte) (one *running, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running == nil {
		t.running = map[[sha256.Size]byte]*running{}
	}
	if one = t.running[sum]; one == nil {
		one, first = &running{done: make(chan struct{})}, true
		t.running[sum] = one
	}
	return one, first
}

func (t *turns) leave(sum [sha256.Size]byte, one *running) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, sum)
	close(one.done)
}

// begin waits for a turn. Each turn ends with end.
func (t *turns) begin(ctx context.Context) error {
	t.mu.Lock()
	if t.free == nil {
		t.free = make(chan struct{}, maxAtOnce)
	}
	free := t.free
	t.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turns) end() { <-t.free }
