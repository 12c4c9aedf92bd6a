package lease

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// term measures the time since the last renewal of a lease, by the clock of this machine.
type term struct {
	periods Periods

	mu      sync.Mutex
	renewed time.Time // the time when the last successful renewal was sent
	ended   bool
	holds   map[*Hold]bool
	stale   *time.Timer // ends serving if the lease is not renewed
	quiet   *time.Timer // ends the remaining writes some time after stale
}

func newTerm(p Periods, sent time.Time) *term {
	t := &term{periods: p, renewed: sent, holds: map[*Hold]bool{}}
	t.stale = time.AfterFunc(time.Until(sent.Add(p.Start())), func() { t.lose(ErrStale) })
	t.quiet = time.AfterFunc(time.Until(sent.Add(p.WriteTime())), func() { t.kill(ErrStale) })
	return t
}

// recordRenewal records a successful renewal. sent is the time at which its request was sent.
func (t *term) recordRenewal(sent time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.renewed = sent
	t.stale.Reset(time.Until(sent.Add(t.periods.Start())))
	t.quiet.Reset(time.Until(sent.Add(t.periods.WriteTime())))
}

// end records that the lease is over.
func (t *term) end() {
	t.mu.Lock()
	t.ended = true
	t.stale.Stop()
	t.quiet.Stop()
	t.mu.Unlock()
	t.kill(ErrEnded)
}

// lose ends the serving of all stacks under the lease.
func (t *term) lose(why error) {
	for _, h := range t.all() {
		h.lose(why)
	}
}

// kill ends the serving of all stacks, and all writes.
func (t *term) kill(why error) {
	for _, h := range t.all() {
		h.lose(why)
		h.kill(why)
	}
}

func (t *term) all() (list []*Hold) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.holds))
}

func (t *term) add(h *Hold)  { t.mu.Lock(); defer t.mu.Unlock(); t.holds[h] = true }
func (t *term) drop(h *Hold) { t.mu.Lock(); defer t.mu.Unlock(); delete(t.holds, h) }

// age returns the time since the last renewal. The monotonic clock stops while a machine sleeps, and the wall clock may be set back. So the
// larger of the two ages counts.
func (t *term) age(now time.Time) time.Duration {
	return max(now.Sub(t.renewed), now.Round(0).Sub(t.renewed.Round(0)))
}

// fresh reports whether a round may continue before the lease is renewed.
func (t *term) fresh(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.ended && t.age(now) < t.periods.Act()
}

// untilRenewal returns the time until the next renewal.
func (t *term) untilRenewal(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.periods.Renew() - t.age(now)
}

// starts reports whether new work may begin.
func (t *term) starts(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.ended && t.age(now) < t.periods.Start()
}

// writes returns the reason why work that has begun may not write any more; nil if it may.
func (t *term) writes(now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch age := t.age(now); {
	case t.ended:
		return ErrEnded
	case age >= t.periods.WriteTime():
		return fmt.Errorf("%w: %s ago, and nothing is written after %s", ErrStale, age.Round(time.Second), t.periods.WriteTime())
	}
	return nil
}
