package listen

import (
	"sync"
	"time"
)

// places are the open connections, whose number is limited. If all places are in use, a new connection gets the
// place of the connection that uses its place least:
//
//	just accepted, or reading a request: during grace, and longer   the connection does not lose its place
//	if it reads at the rate pace
//	has answered, or waits for another request                      the connection loses its place first, the oldest first
//	reading at a lower rate                                         the connection loses its place next, the slowest first
//
// So every connection has its grace, which is enough for a message that a proxy forwards completely. Even if
// there are many slow senders, they block other clients only for that time.
type places struct {
	most int

	mu      sync.Mutex
	held    map[*conn]struct{}
	changed chan struct{} // receives a value if a connection has ended or may now be closed
}

const (
	// grace is the time in which a request may arrive, even if others wait for a place.
	grace = time.Second
	// pace is a rate in bytes a second. A connection that sends at this rate does not lose its place.
	pace = 128 << 10
	// parting is the time in which an answer may be sent.
	parting = 50 * time.Millisecond
)

func newPlaces(most int) *places {
	return &places{most: most, held: map[*conn]struct{}{}, changed: make(chan struct{}, 1)}
}

// take gives a place to c. If another connection has to give up its place, victim is that connection. If no connection may be
// closed yet, wait is the maximum time to wait.
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

// least returns the connection that uses its place least. If none may lose its place, it returns the time for
// which this is so.
func (p *places) least(now time.Time) (victim *conn, wait time.Duration) {
	wait = grace
	for c := range p.held {
		switch left := c.timeLeft(now); {
		case left > 0:
			wait = min(wait, left)
		case victim == nil || c.before(victim, now):
			victim = c
		}
	}
	return victim, wait
}

// timeLeft returns the time after which a connection may lose its place if it sends nothing more.
func (c *conn) timeLeft(now time.Time) time.Duration {
	left := c.until.Sub(now)
	if !c.resting {
		left += time.Duration(float64(c.read.Load()) / pace * float64(time.Second))
	}
	return left
}

// before reports whether c must lose its place before other does.
func (c *conn) before(other *conn, now time.Time) bool {
	if c.resting != other.resting {
		return c.resting
	}
	if a, b := c.speed(now), other.speed(now); !c.resting && a != b {
		return a < b
	}
	return c.begun.Before(other.begun)
}

// speed returns the rate of the request that is being read, in bytes a second.
func (c *conn) speed(now time.Time) float64 {
	return float64(c.read.Load()) / max(now.Sub(c.begun), time.Millisecond).Seconds()
}

// reads records that the connection begins to read a request at the time now.
func (p *places) reads(c *conn, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.begun, c.until, c.resting = now, now.Add(grace), false
}

// rests records that c was answered, or waits for another request. since is the time of that. c keeps its place until the time from.
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
	default: // the caller has set the state
	}
}

// crowded reports whether most places are in use.
func (p *places) crowded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return 2*len(p.held) > p.most
}
