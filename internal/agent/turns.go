package agent

import (
	"context"
	"time"
)

const (
	// atOnce is how many stacks of a process have a turn at the same time.
	atOnce = 16
	// longTurn is the time after which a stack in a pass gives up its turn: by then it waits for its cloud.
	longTurn = 30 * time.Second
)

// Turns limit how many stacks log in, list their clouds and start to change them at the same time. Stacks get turns in the order in which they
// come. The requests and the memory of a pass grow with its project, and after a start every stack has a pass. A long pass loses its turn, so
// that no stack waits for what another one waits for.
type Turns struct{ taken chan struct{} }

// NewTurns returns the turns for the stacks of a process.
func NewTurns() *Turns { return &Turns{make(chan struct{}, atOnce)} }

// take waits for a turn. done ends it, and may be called after it has already ended.
func (t *Turns) take(ctx context.Context) (done func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	select {
	case t.taken <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	end := func() { <-t.taken }
	over := time.AfterFunc(longTurn, end)
	return func() {
		if over.Stop() {
			end()
		}
	}, nil
}
