// Package backoff says how long to leave alone what has failed.
//
// Its pauses are functions of how often it failed: who waits keeps that number and a
// moment in a table of many keys, and goes on with other work meanwhile. Libraries for
// this keep an object for each operation and sleep in a loop of their own.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Pause is first after one failure, twice as long after each further one in a row, and
// longest at most.
func Pause(first, longest time.Duration, failures int) time.Duration {
	pause := first
	for n := 1; n < failures; n++ {
		if pause > longest/2 {
			return longest
		}
		pause *= 2
	}
	return min(pause, longest)
}

// Spread leaves half of a pause to chance, so that many who failed together do not
// come back together.
func Spread(pause time.Duration) time.Duration {
	return pause/2 + rand.N(pause/2+1)
}

// Wait returns after a pause, or with ctx's cause when that ends before.
func Wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
