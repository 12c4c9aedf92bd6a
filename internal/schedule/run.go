package schedule

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
)

// Run calls do at every moment of the schedule, up to jitter later so that
// many agents do not ask a server all at once, until ctx ends. Moments that
// pass while do runs are left out.
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

// Jitter is how much later than scheduled a moment after now may come, so that
// what many agents do is spread out: a tenth of the interval, half a minute at most.
func (s Schedule) Jitter(now time.Time) time.Duration {
	first := s.Next(now)
	if first.IsZero() {
		return 0
	}
	return min(s.Next(first).Sub(first)/10, maxJitter)
}
