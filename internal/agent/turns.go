package agent

import (
	"context"
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
type Turns struct{ taken chan struct{} }

// NewTurns returns the turns for the stacks of a process.
func NewTurns() *Turns { return &Turns{make(chan struct{}, atOnce)} }

// take waits for a turn. done ends the turn; it may be called after the turn has already ended.
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
