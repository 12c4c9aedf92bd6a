package oslo

import (
	"container/heap"
	"sync/atomic"
	"time"
)

// clock runs events when a request arrives. Real services change some states after a while. Here, such a change
// happens before the next request is answered, and its time is the time when it was due. No goroutine waits, so
// a fake clock works.
type clock struct {
	base    func() time.Time
	ahead   atomic.Int64 // how far the clock has jumped, in nanoseconds
	instant time.Time    // set while an event runs
	seq     int
	due     events
}

type event struct {
	at  time.Time
	seq int
	run func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	if !e[i].at.Equal(e[j].at) {
		return e[i].at.Before(e[j].at)
	}
	return e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// now is the time of day.
func (c *clock) now() time.Time { return c.base().Add(time.Duration(c.ahead.Load())) }

// settle runs all events that are due, in order of time. If they schedule further
// events that are due, it runs those, too.
func (c *clock) settle() {
	if len(c.due) == 0 {
		return
	}
	now := c.now()
	for len(c.due) > 0 && !c.due[0].at.After(now) {
		e := heap.Pop(&c.due).(event)
		c.instant = e.at
		e.run()
	}
	c.instant = time.Time{}
}

// Now is the time of the running handler or event, in UTC.
func (c *Cloud) Now() time.Time {
	if !c.clock.instant.IsZero() {
		return c.clock.instant.UTC()
	}
	return c.clock.now().UTC()
}

// After schedules f after the duration d. f runs with the lock held, before the first request at that time or
// later. If d is zero, f runs before the next request.
func (c *Cloud) After(d time.Duration, f func()) {
	c.clock.seq++
	heap.Push(&c.clock.due, event{at: c.Now().Add(d), seq: c.clock.seq, run: f})
}

// Jump makes the clock of the cloud jump, forwards or backwards. Work in progress takes as long as before, because services do not measure it
// with the time of day.
func (c *Cloud) Jump(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock.ahead.Add(int64(by))
	for i := range c.clock.due {
		c.clock.due[i].at = c.clock.due[i].at.Add(by)
	}
}
