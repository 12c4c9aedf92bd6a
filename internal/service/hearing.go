package service

import (
	"context"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const (
	// echo is a time after the last write of the agent. Until it is over, messages about the agent's own writes may arrive.
	echo = 10 * time.Second
	// maxReporters is the maximum number of objects for which a stack remembers who changed them, and reporterLasts is how long it does.
	maxReporters  = 1000
	reporterLasts = 15 * time.Minute
	// maxChanging is the maximum number of objects that a stack remembers as its own changes. Messages about further ones cause one look after the writes.
	maxChanging = 100_000
)

// hearing decides what messages about the cloud mean for one stack. It is a watcher and a sink of the stack's passes, from which it knows the stack's
// objects and when the agent itself writes.
type hearing struct {
	from string // the source of the messages
	look func(engine.Moved)

	mu          sync.Mutex
	of          events.Interest
	quiet       time.Time     // the agent's own writes may be reported until then
	running     bool          // the agent writes
	moved       *engine.Moved // what may have changed, although the agent's own writes may be the reason; nil if nothing
	settling    *time.Timer
	quick, slow hints
	poked, rare hints
	who         map[string]kind.Trace // by the object's ID
	names       *userNames
	passes      bool            // a look has found that a pass is needed. The pass has not ended yet.
	vain        bool            // the last pass after a look found nothing new.
	plan        string          // the hash of its plan
	kinds       map[string]bool // of the objects that the last pass has seen
	closed      bool
}

// hints are the hints of one pace, with the timer of the look that is due.
type hints struct {
	events.Pace
	timer *time.Timer
	moved *engine.Moved // where the look that is due has to look; nil if none is due
}

func newHearing(from string, look func(engine.Moved)) *hearing {
	return &hearing{from: from, look: look, quick: hints{Pace: events.Quick()}, slow: hints{Pace: events.Slow()}, poked: hints{Pace: events.Poked()}, rare: hints{Pace: events.Slow()}, who: map[string]kind.Trace{}, names: &userNames{}}
}

// hear makes the stack look, if a message concerns it. The message arrived at now, for all stacks, so they can share the lists that follow.
func (h *hearing) hear(l events.Look, now time.Time) events.Urgency {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of.Writing = h.running || now.Before(h.quiet)
	if l.ID != "" {
		l.ID = ownID(l.ID)
	}
	u := h.of.In(l)
	if u == events.Never {
		return u
	}
	if who := l.Who.Text(); who != "" && l.ID != "" && l.Who.ID != h.of.User {
		if len(h.who) >= maxReporters {
			clear(h.who)
		}
		h.who[l.ID] = kind.Trace{Who: who, When: now}
	}
	moved := engine.Moved{Collections: l.Collections(), Since: now}
	if u == events.Settled {
		h.moved = h.moved.And(moved)
		h.settle(now)
		return u
	}
	pace := &h.slow
	if u == events.Now {
		pace = &h.quick
	}
	h.hint(pace, moved)
	return u
}

// poke makes the stack look, because somebody outside says so.
func (h *hearing) poke() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hint(&h.poked, anywhere())
}

// looked stores the result of a look.
func (h *hearing) looked(result engine.Looked) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passes, h.vain = result != engine.LookedSame, h.vain && result != engine.LookedSame
}

// sawMove makes the stack look because a probe has noticed a change of the project. While the agent writes, and shortly after that, the change may
// be its own. Then the look comes later, because the next probe compares with the changed project, and notices nothing. The change was noticed at now,
// for all stacks. After a look whose pass found nothing new, the next ones are less and less frequent, because each pass lists everything. An example
// is a list that takes too long for a look.
func (h *hearing) sawMove(collections []string, now time.Time) {
	moved := engine.Moved{Collections: collections, Since: now}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running || now.Before(h.quiet) {
		h.moved = h.moved.And(moved)
		h.settle(now)
		return
	}
	pace := &h.quick
	if h.vain {
		pace = &h.rare
	}
	h.hint(pace, moved)
}

// settle gives the hint of a change that was noticed while the agent's own writes may be reported, as soon as that is over. It is less urgent, so
// that writes that the agent repeats forever cause fewer and fewer looks. The caller holds the lock.
func (h *hearing) settle(now time.Time) {
	switch wait := h.quiet.Sub(now); {
	case h.moved == nil, h.running, h.closed:
	case wait <= 0:
		moved := *h.moved
		h.moved = nil
		h.hint(&h.slow, moved)
	case h.settling == nil:
		h.settling = time.AfterFunc(wait, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.settling = nil
			h.settle(time.Now())
		})
	}
}

// miss makes the stack look after messages that were lost.
func (h *hearing) miss() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hint(&h.slow, anywhere())
}

// anywhere is a change now in any collection.
func anywhere() engine.Moved { return engine.Moved{Since: time.Now()} }

// hint starts a look as soon as the pace allows. The caller holds the lock.
func (h *hearing) hint(pace *hints, moved engine.Moved) {
	if h.closed {
		return
	}
	pace.moved = pace.moved.And(moved)
	switch wait, ok := pace.Hint(time.Now()); {
	case !ok:
	case wait == 0:
		h.start(pace)
	default:
		pace.timer = time.AfterFunc(wait, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			if !h.closed {
				h.start(pace)
			}
		})
	}
}

// start starts the look that is due. The caller holds the lock.
func (h *hearing) start(pace *hints) {
	moved := *pace.moved
	pace.moved = nil
	pace.Looked(time.Now())
	h.look(moved)
}

// close ends the looks. It is called when the stack ends.
func (h *hearing) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, timer := range []*time.Timer{h.settling, h.quick.timer, h.slow.timer, h.poked.timer, h.rare.timer} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// reported returns who changed an object, according to the last message about it.
func (h *hearing) reported(id string) (kind.Trace, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.who[ownID(id)]
	t.Who = h.names.name(t.Who)
	return t, ok && time.Since(t.When) < reporterLasts
}

// opening returns a function that opens the cloud and stores in which project the agent works, and as which user.
func (h *hearing) opening(open func(context.Context) (agent.Cloud, error)) func(context.Context) (agent.Cloud, error) {
	return func(ctx context.Context) (agent.Cloud, error) {
		c, err := open(ctx)
		if err == nil {
			h.mu.Lock()
			h.of.Project, h.of.User = c.Project, c.User
			h.mu.Unlock()
		}
		return c, err
	}
}
