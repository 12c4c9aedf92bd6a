package schedule

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
)

// Run calls do at every moment of the schedule until ctx ends. Each call is delayed by up to jitter, so that
// many agents do not send requests to a server at the same time. Moments during a call of do are skipped.
func Run(ctx context.Context, schedule Schedule, jitter time.Duration, do func()) {
	for {
		now := time.Now()
		next := schedule.Next(now)
		if next.IsZero() {
			<-ctx.Done()
			return
		}
		wait := next.Sub(now)
		if jitter > 0 {
			wait += rand.N(jitter)
		}
		if backoff.Wait(ctx, wait) != nil {
			return
		}
		do()
	}
}

const maxJitter = 30 * time.Second

// Jitter returns the maximum delay for the next moment after now, so that the work of many agents is spread out.
// It is a tenth of the interval, and at most half a minute.
func (s Schedule) Jitter(now time.Time) time.Duration {
	first := s.Next(now)
	if first.IsZero() {
		return 0
	}
	return min(s.Next(first).Sub(first)/10, maxJitter)
}
