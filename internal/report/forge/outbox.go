package forge

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Outbox holds what is owed to a forge until it is delivered. A forge that is
// away stops nobody: what is owed waits, the newest of each key only.
type Outbox struct {
	log *slog.Logger

	mu    sync.Mutex
	queue []string          // keys, in the order in which they were first owed
	owed  map[string]letter // by key
	more  chan struct{}     // there is something new
}

// letter is one thing that is owed. Delivering it twice changes nothing.
type letter struct {
	number  int // grows with every Put
	deliver func(context.Context) error
}

const (
	firstPause = 2 * time.Second
	longPause  = 5 * time.Minute
	// mostOwed bounds what is kept for a forge that is away for long; the oldest
	// is given up first.
	mostOwed = 10_000
)

// NewOutbox is an empty outbox.
func NewOutbox(log *slog.Logger) *Outbox {
	return &Outbox{log: log, owed: map[string]letter{}, more: make(chan struct{}, 1)}
}

// Put owes something in the place of what was owed under key before. deliver
// compares with what the forge holds, and writes only what differs.
func (o *Outbox) Put(key string, deliver func(context.Context) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, waits := o.owed[key]
	if !waits {
		if len(o.queue) >= mostOwed {
			delete(o.owed, o.queue[0])
			o.queue = o.queue[1:]
		}
		o.queue = append(o.queue, key)
	}
	o.owed[key] = letter{before.number + 1, deliver}
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// Len is how much is owed.
func (o *Outbox) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue)
}

// Serve delivers until ctx ends, one thing at a time.
func (o *Outbox) Serve(ctx context.Context) {
	failures := 0
	for {
		pause := o.round(ctx, &failures)
		var again <-chan time.Time
		more := o.more
		if pause > 0 {
			timer := time.NewTimer(pause)
			defer timer.Stop()
			again, more = timer.C, nil
		}
		select {
		case <-ctx.Done():
			return
		case <-more:
		case <-again:
		}
	}
}

// Flush delivers what is owed now, and returns when nothing is, or when ctx
// ends. It tells whether nothing is left.
func (o *Outbox) Flush(ctx context.Context) bool {
	failures := 0
	for ctx.Err() == nil {
		pause := o.round(ctx, &failures)
		if pause == 0 {
			return o.Len() == 0
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return o.Len() == 0
}

// round delivers until nothing is owed or the forge has to be left alone for a
// while; failures counts those in a row.
func (o *Outbox) round(ctx context.Context, failures *int) (pause time.Duration) {
	for ctx.Err() == nil {
		key, l, ok := o.first()
		if !ok {
			return 0
		}
		err := l.deliver(ctx)
		if ctx.Err() != nil {
			return 0
		}
		var limited *LimitedError
		switch {
		case errors.As(err, &limited):
			return max(time.Until(limited.Until), firstPause)
		case errors.Is(err, ErrUnavailable):
			o.log.Warn("the forge does not answer; what is owed is posted later", "what", key, "owed", o.Len(), "error", err)
			pause = min(firstPause<<min(*failures, 10), longPause)
			*failures++
			return pause/2 + rand.N(pause/2)
		case errors.Is(err, ErrUnsupported):
			o.log.Debug("the forge does not take it", "what", key, "error", err)
		case err != nil:
			o.log.Error("the forge refuses it", "what", key, "error", err)
		}
		*failures = 0
		o.done(key, l)
	}
	return 0
}

func (o *Outbox) first() (key string, l letter, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return "", l, false
	}
	return o.queue[0], o.owed[o.queue[0]], true
}

// done takes a letter away, unless a newer one of its key came meanwhile: that
// goes to the end, so that one key starves no other.
func (o *Outbox) done(key string, l letter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) > 0 && o.queue[0] == key {
		o.queue = o.queue[1:]
	}
	if o.owed[key].number != l.number {
		o.queue = append(o.queue, key)
		return
	}
	delete(o.owed, key)
}
