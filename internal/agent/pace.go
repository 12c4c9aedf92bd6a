package agent

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How often hints from outside make anybody look: as many at once as people
// cause in a hurry, and then not more often than a forge's budget bears.
const (
	hintEvery = 5 * time.Second
	hintBurst = 5
)

// Pace turns any number of hints into a bounded number of looks. No hint is
// lost: what comes too soon is one look later on.
type Pace struct {
	look    func()
	limiter *rate.Limiter
	mu      sync.Mutex
	waiting bool
}

// NewPace paces look, which must return at once.
func NewPace(look func()) *Pace {
	return &Pace{look: look, limiter: rate.NewLimiter(rate.Every(hintEvery), hintBurst)}
}

// Hint looks now, or as soon as it may be.
func (p *Pace) Hint() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting {
		return
	}
	now := time.Now()
	if wait := p.limiter.ReserveN(now, 1).DelayFrom(now); wait > 0 {
		p.waiting = true
		time.AfterFunc(wait, p.due)
		return
	}
	p.look()
}

func (p *Pace) due() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = false
	p.look()
}
