package lease

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// term is how long one lease counts, by the clock of this machine.
type term struct {
	periods Periods

	mu      sync.Mutex
	renewed time.Time // when the request was sent that renewed it last
	ended   bool
	holds   map[*Hold]bool
	stale   *time.Timer // ends what is served when it is not renewed
	quiet   *time.Timer // ends what is still written then
}

func newTerm(p Periods, sent time.Time) *term {
	t := &term{periods: p, renewed: sent, holds: map[*Hold]bool{}}
	t.stale = time.AfterFunc(time.Until(sent.Add(p.Start())), func() { t.lose(ErrStale) })
	t.quiet = time.AfterFunc(time.Until(sent.Add(p.Quiet())), func() { t.kill(ErrStale) })
	return t
}

// again takes note that the request which was sent then has renewed it.
func (t *term) again(sent time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.renewed = sent
	t.stale.Reset(time.Until(sent.Add(t.periods.Start())))
	t.quiet.Reset(time.Until(sent.Add(t.periods.Quiet())))
}

// end says that the lease is over.
func (t *term) end() {
	t.mu.Lock()
	t.ended = true
	t.stale.Stop()
	t.quiet.Stop()
	t.mu.Unlock()
	t.kill(ErrEnded)
}

// lose ends all that is served under it.
func (t *term) lose(why error) {
	for _, h := range t.all() {
		h.lose(why)
	}
}

// kill ends all that is written, too.
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

// age is how long ago it was renewed. The monotonic clock stands still while a machine sleeps, and the other one may be
// set back: the one that says more counts.
func (t *term) age(now time.Time) time.Duration {
	return max(now.Sub(t.renewed), now.Round(0).Sub(t.renewed.Round(0)))
}

// fresh reports whether it need not be renewed before something else is done.
func (t *term) fresh(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.ended && t.age(now) < t.periods.Act()
}

// left is how long it is until it is to be renewed.
func (t *term) left(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.periods.Renew() - t.age(now)
}

// starts reports whether something new may begin.
func (t *term) starts(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.ended && t.age(now) < t.periods.Start()
}

// writes says why what has begun may write no more; nil when it may.
func (t *term) writes(now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch age := t.age(now); {
	case t.ended:
		return ErrEnded
	case age >= t.periods.Quiet():
		return fmt.Errorf("%w: %s ago, and nothing is written after %s", ErrStale, age.Round(time.Second), t.periods.Quiet())
	}
	return nil
}
