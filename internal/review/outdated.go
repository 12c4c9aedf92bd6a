package review

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/forge"
)

// quietTime is the time without changes of a branch and its cloud after which its open pull requests are planned again. maxDelay
// is the longest delay, even if the changes go on.
const (
	quietTime = 10 * time.Second
	maxDelay  = 2 * time.Minute
)

// outdating remembers since when plans are outdated.
type outdating struct {
	mu          sync.Mutex
	first, last time.Time // the first and the last change that plans do not contain yet
	before      time.Time // plans that were made before this time are outdated
}

// outdate records a change.
func (a *outdating) outdate(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.first, a.last = cmp.Or(a.first, now), now
}

// due returns the time to plan again; zero if nothing has changed.
func (a *outdating) due() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return quietAfter(a.first, a.last)
}

// advance returns the time before which plans are outdated. That time becomes now if planning again is due.
func (a *outdating) advance(now time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if due := quietAfter(a.first, a.last); !due.IsZero() && !now.Before(due) {
		a.before, a.first, a.last = now, time.Time{}, time.Time{}
	}
	return a.before
}

// quietAfter returns the time after which the changes from first to last count as finished.
func quietAfter(first, last time.Time) time.Time {
	if first.IsZero() {
		return time.Time{}
	}
	quiet, latest := last.Add(quietTime), first.Add(maxDelay)
	if quiet.Before(latest) {
		return quiet
	}
	return latest
}

// pause is the pause after an attempt to read the forge has failed.
type pause struct {
	failures int
	until    time.Time
}

const (
	firstPause = 5 * time.Second
	maxPause   = 5 * time.Minute
)

// after returns the pause after a visit that ended with err.
func (r pause) after(err error, now time.Time) pause {
	if err == nil {
		return pause{}
	}
	next := pause{failures: r.failures + 1, until: now.Add(backoff.Pause(firstPause, maxPause, r.failures+1))}
	var limited *forge.LimitedError
	if errors.As(err, &limited) && limited.Until.After(next.until) {
		next.until = limited.Until
	}
	return next
}
