package agent

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestAttackHintsActNowAndThen sends a hundred hints per second for ten minutes.
func TestAttackHintsActNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64
		p := NewPace(func() { looks.Add(1) })
		p.Hint()
		if looks.Load() != 1 {
			t.Error("the first hint is not followed at once")
		}
		const long = 10 * time.Minute
		for range long / (10 * time.Millisecond) {
			p.Hint()
			time.Sleep(10 * time.Millisecond)
		}
		if got, most := looks.Load(), int64(hintBurst+long/hintEvery+1); got > most {
			t.Errorf("%d looks, want at most %d", got, most)
		}
		time.Sleep(long)
		before := looks.Load()
		for range 2 * hintBurst {
			p.Hint()
		}
		time.Sleep(hintEvery)
		synctest.Wait()
		if got := looks.Load() - before; got != hintBurst+1 {
			t.Errorf("%d looks after %d hints at once, want %d and one for the rest", got, 2*hintBurst, hintBurst)
		}
	})
}
