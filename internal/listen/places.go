package listen

import (
	"sync"
	"time"
)

// places are the open connections; their number is limited. When all places are taken, a new connection gets the place of the one that uses
// its place least:
//
//	just accepted, or reading: for grace, and for longer at pace   keeps its place
//	answered, or waiting for another request                       goes first, oldest first
//	reading more slowly                                            goes next, fewest bytes a second first
//
// So every connection has its grace, which is long for a message that a proxy passes on at once. No number of slow senders blocks others for
// longer than that.
type places struct {
	most int

	mu      sync.Mutex
	held    map[*conn]struct{}
	changed chan struct{} // a connection left, or may be closed now
}

const (
	// grace is how long a request may take to arrive, even if others wait.
	grace = time.Second
	// pace is the rate, in bytes a second, at which a sender keeps its place for as long as it sends.
	pace = 128 << 10
	// parting is how long an answer may take to be sent.
	parting = 50 * time.Millisecond
)

func newPlaces(most int) *places {
	return &places{most: most, held: map[*conn]struct{}{}, changed: make(chan struct{}, 1)}
}

// take gives c a place. victim is the connection that must be closed for it, if any. If no connection may be closed yet, wait is the maximum
// time to wait.
func (p *places) take(c *conn, now time.Time) (ok bool, victim *conn, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.held) >= p.most {
		if victim, wait = p.least(now); victim == nil {
			return false, nil, wait
		}
		delete(p.held, victim)
	}
	c.begun, c.until = now, now.Add(grace)
	p.held[c] = struct{}{}
	return true, victim, 0
}

// least returns the connection that uses its place least, or the time for which all keep theirs.
func (p *places) least(now time.Time) (victim *conn, wait time.Duration) {
	wait = grace
	for c := range p.held {
		switch left := c.left(now); {
		case left > 0:
			wait = min(wait, left)
		case victim == nil || c.before(victim, now):
			victim = c
		}
	}
	return victim, wait
}

// left is how long a connection keeps its place if it sends nothing more.
func (c *conn) left(now time.Time) time.Duration {
	left := c.until.Sub(now)
	if !c.resting {
		left += time.Duration(float64(c.read.Load()) / pace * float64(time.Second))
	}
	return left
}

// before reports whether c loses its place before other does.
func (c *conn) before(other *conn, now time.Time) bool {
	if c.resting != other.resting {
		return c.resting
	}
	if a, b := c.speed(now), other.speed(now); !c.resting && a != b {
		return a < b
	}
	return c.begun.Before(other.begun)
}

// speed is the rate of the request that is being read, in bytes a second.
func (c *conn) speed(now time.Time) float64 {
	return float64(c.read.Load()) / max(now.Sub(c.begun), time.Millisecond).Seconds()
}

// reads records that a request begins.
func (p *places) reads(c *conn, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.begun, c.until, c.resting = now, now.Add(grace), false
}

// rests records that nothing is expected from c from then on.
func (p *places) rests(c *conn, since, from time.Time) {
	p.mu.Lock()
	c.begun, c.until, c.resting = since, from, true
	p.mu.Unlock()
	c.read.Store(0)
	p.change()
}

func (p *places) leave(c *conn) {
	p.mu.Lock()
	delete(p.held, c)
	p.mu.Unlock()
	p.change()
}

func (p *places) change() {
	select {
	case p.changed <- struct{}{}:
	default: // the caller knows
	}
}

// crowded reports whether places are getting scarce.
func (p *places) crowded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return 2*len(p.held) > p.most
}
