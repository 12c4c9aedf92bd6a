package notify

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// alone is the number of stacks that are reported separately.
	alone = 5
	// crowdTime is the time in which stacks with the same state and the same reason are collected. It starts with
	// the first of them.
	crowdTime = time.Minute
	// maxNamed is the maximum number of stacks in a notification whose names are shown.
	maxNamed = 40
)

// Crowd joins notifications if the same happens to many stacks, for example because a cloud is down. People get
// the notifications about the first few stacks immediately, and one about all others a minute after the first.
// Programs get a notification about each stack (see [Format.ForPeople]).
type Crowd struct {
	send func(Notification)

	mu   sync.Mutex
	open map[reason]*gathered
	ill  map[string]bool // the stacks about which people were last notified of a problem
}

// gathered contains the notifications about stacks in the same state for the same reason.
type gathered struct {
	told    int // number of notifications that were sent separately
	waiting []Notification
}

// reason is the common part of the notifications in one crowd.
type reason struct {
	state, cause string
	over         bool
}

// NewCrowd returns an empty crowd. send must not wait.
func NewCrowd(send func(Notification)) *Crowd {
	return &Crowd{send: send, open: map[reason]*gathered{}, ill: map[string]bool{}}
}

// Tell sends a notification, or delays it so that others can be joined with it. It drops older notifications
// about the stack. If the notification ends a problem about which nothing was sent yet, Tell sends nothing.
func (c *Crowd) Tell(n Notification) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waited := false
	for _, g := range c.open {
		had := len(g.waiting)
		g.waiting = slices.DeleteFunc(g.waiting, func(o Notification) bool { return o.Stack == n.Stack })
		waited = waited || len(g.waiting) < had
	}
	if n.EndsProblem() && waited && !c.ill[n.Stack] {
		return
	}
	why := reason{n.State, n.cause(), n.EndsProblem()}
	g := c.open[why]
	if g == nil {
		g = &gathered{}
		c.open[why] = g
		time.AfterFunc(crowdTime, func() { c.endWait(why) })
	}
	if g.told == alone {
		g.waiting = append(g.waiting, n)
		return
	}
	g.told++
	c.tell(n, n)
}

// tell sends a notification about some stacks.
func (c *Crowd) tell(text Notification, of ...Notification) {
	for _, n := range of {
		c.ill[n.Stack] = !n.well()
	}
	c.send(text)
}

// endWait sends the waiting notifications. If there were any, it collects for another minute.
func (c *Crowd) endWait(why reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open[why].waiting) == 0 {
		delete(c.open, why)
		return
	}
	time.AfterFunc(crowdTime, func() { c.endWait(why) })
	c.sendWaiting(c.open[why])
}

func (c *Crowd) sendWaiting(g *gathered) {
	if len(g.waiting) > 0 {
		c.tell(together(g.waiting), g.waiting...)
		g.waiting = nil
	}
}

// Flush sends all waiting notifications.
func (c *Crowd) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.open {
		c.sendWaiting(g)
	}
}

// together joins several notifications with the same state.
func together(list []Notification) Notification {
	all := list[0]
	if len(list) == 1 {
		return all
	}
	for _, n := range list {
		all.Stacks = append(all.Stacks, n.Stack)
		all.Severity = max(all.Severity, n.Severity)
	}
	slices.Sort(all.Stacks)
	named := all.Stacks[:min(len(all.Stacks), maxNamed)]
	names := strings.Join(named, ", ")
	if more := len(all.Stacks) - len(named); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	all.Commit, all.Objects, all.Further, all.Link = "", nil, false, ""
	all.Message = strings.TrimSuffix(names+"\n"+all.cause(), "\n")
	return all
}
