// Package backoff computes pauses between attempts after failures.
//
// Each pause is a function of the number of failures. So a caller can store that number and a time for each of many
// keys, and do other work during the pause. Libraries for this purpose have an object for each operation, and sleep
// in their own loop.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Pause returns the pause after some failures in a row. It is first after one failure and doubles with each further
// failure, up to longest.
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

// Spread returns a random pause between half of pause and pause. So many callers that fail at the same time do not
// retry at the same time.
func Spread(pause time.Duration) time.Duration {
	return pause/2 + rand.N(pause/2+1)
}

// Wait returns nil after a pause. If ctx ends before that, it returns the cause.
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
