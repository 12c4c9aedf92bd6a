package webhook

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// What is borne. A forge sends again what was refused with 429, or a poll
// finds it.
const (
	// MaxBody is the longest message that is read. One of a push of 700 commits
	// is about 1 MiB.
	MaxBody = 4 << 20

	maxAtOnce = 8 // messages that are read at a time: 32 MiB at most

	goodRate, goodBurst = 20, 200 // signed messages a second, of all together
	badRate, badBurst   = 1, 30   // refused ones, of one address

	maxAddresses = 1024
	maxSeen      = 1024
	seenFor      = 10 * time.Minute
)

// bounds keeps count of what came.
type bounds struct {
	mu      sync.Mutex
	good    *rate.Limiter
	bad     map[netip.Addr]*rate.Limiter
	seen    map[[32]byte]time.Time
	order   [][32]byte // of seen, oldest first
	reading chan struct{}
}

func newBounds() *bounds {
	return &bounds{
		good: rate.NewLimiter(goodRate, goodBurst), bad: map[netip.Addr]*rate.Limiter{},
		seen: map[[32]byte]time.Time{}, reading: make(chan struct{}, maxAtOnce),
	}
}

// bears tells whether an address has not sent too much nonsense.
func (b *bounds) bears(from netip.Addr, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	limiter := b.bad[from]
	return limiter == nil || limiter.TokensAt(now) >= 1
}

// refused takes note of nonsense. When there are too many addresses all are
// forgiven.
func (b *bounds) refused(from netip.Addr, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	limiter := b.bad[from]
	if limiter == nil {
		if len(b.bad) >= maxAddresses {
			clear(b.bad)
		}
		limiter = rate.NewLimiter(badRate, badBurst)
		b.bad[from] = limiter
	}
	limiter.AllowN(now, 1)
}

// allows tells whether a signed message is one too many.
func (b *bounds) allows(now time.Time) bool { return b.good.AllowN(now, 1) }

// again tells whether the same message came a short while ago. What tells
// messages apart is their body: nothing else of them is signed.
func (b *bounds) again(sum [32]byte, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.order) > 0 && (len(b.order) >= maxSeen || now.Sub(b.seen[b.order[0]]) > seenFor) {
		delete(b.seen, b.order[0])
		b.order = b.order[1:]
	}
	if _, ok := b.seen[sum]; ok {
		return true
	}
	b.seen[sum], b.order = now, append(b.order, sum)
	return false
}
