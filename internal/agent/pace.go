package agent

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// These constants limit the rate at which hints from outside start a call. A burst is allowed first, as large as people cause in a hurry.
// After that, the rate stays within a forge's rate limit.
const (
	hintEvery = 5 * time.Second
	hintBurst = 5
)

// Pace turns any number of hints into a bounded number of calls. No hint is lost: hints that come too fast lead to one later call.
type Pace struct {
	act     func()
	limiter *rate.Limiter
	mu      sync.Mutex
	waiting bool
}

// NewPace returns a Pace that calls act. act must return without waiting.
func NewPace(act func()) *Pace {
	return &Pace{act: act, limiter: rate.NewLimiter(rate.Every(hintEvery), hintBurst)}
}

// Hint calls act now, or as soon as the rate allows.
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
	p.act()
}

func (p *Pace) due() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = false
	p.act()
}
