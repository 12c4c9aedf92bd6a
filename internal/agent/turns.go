package agent

import (
	"context"
	"time"
)

const (
	// atOnce is how many stacks of a process have their turn at the same time.
	atOnce = 16
	// longTurn is when a stack that has not ended its pass makes room for another one: it waits for its cloud by then.
	longTurn = 30 * time.Second
)

// Turns bound how many stacks log in, list their clouds and begin to change them at the same time, in the order in
// which they come: what a pass asks for and keeps in memory grows with all that its project holds, and after a start
// every stack has one. A pass that takes long has its turn no more, so that no stack waits for what another one waits for.
type Turns struct{ taken chan struct{} }

// NewTurns are the turns of the stacks of a process.
func NewTurns() *Turns { return &Turns{make(chan struct{}, atOnce)} }

// take waits for a turn. done ends it; it may be called when it is over already.
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
