// Package outbox holds what is pending for a receiver until it is delivered: the newest of each key only, tried again after
// pauses that grow.
//
// It knows neither what is delivered nor to whom; the receiver's room says what follows from an error.
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
)

// Judge says what follows from an error of a delivery.
type Judge func(error) Verdict

// Verdict is what follows from an error of a delivery. The zero one is a refusal: it is logged, and not tried again.
type Verdict struct {
	Away  bool      // the receiver does not answer: it is tried again
	Until time.Time // the receiver takes nothing before; zero when it does not say so
	Quiet bool      // the receiver takes nothing of the kind, which is no news
}

// Outbox holds what is pending for a receiver until it is delivered. A receiver that is
// away stops nobody: what is pending waits, the newest of each key only. A thing
// that cannot be delivered while others can holds up none of them.
type Outbox struct {
	log   *slog.Logger
	to    string // whom, for people
	judge Judge

	mu      sync.Mutex
	queue   []string          // keys, in the order in which they first became pending
	pending map[string]letter // by key
	puts    int
	more    chan struct{} // there is something new
	// failing are the keys that could not be delivered since the last that could,
	// and strikes how often the receiver as a whole seemed to be away since then.
	failing map[string]bool
	strikes int
	refused map[string]string // what was last said of a key that the receiver refuses
}

// letter is one thing that is pending. Delivering it twice changes nothing.
type letter struct {
	number   int // of all that were ever put
	deliver  func(context.Context) error
	failures int
	until    time.Time // not to be tried before
}

const (
	firstPause = 2 * time.Second
	longPause  = 5 * time.Minute
	// mostPending bounds what is kept for a receiver that is away for long; the oldest
	// is given up first.
	mostPending = 10_000
	// deliverTime bounds one delivery, and mostFailing is how many different
	// things fail in a row before the receiver as a whole is taken to be away.
	deliverTime = 5 * time.Minute
	mostFailing = 3
	// mostRefused bounds what is remembered so as not to log it again.
	mostRefused = 1_000
)

// New is an empty outbox. to is how people call the receiver, and judge knows its errors.
func New(to string, judge Judge, log *slog.Logger) *Outbox {
	return &Outbox{log: log, to: to, judge: judge, pending: map[string]letter{}, failing: map[string]bool{}, refused: map[string]string{}, more: make(chan struct{}, 1)}
}

// Put makes something pending in the place of what was pending under key before. deliver
// compares with what the receiver holds, and writes only what differs.
func (o *Outbox) Put(key string, deliver func(context.Context) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, waits := o.pending[key]
	if !waits {
		if len(o.queue) >= mostPending {
			o.drop(o.queue[0])
		}
		o.queue = append(o.queue, key)
	}
	o.puts++
	o.pending[key] = letter{o.puts, deliver, before.failures, before.until}
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// drop takes a key away.
func (o *Outbox) drop(key string) {
	delete(o.pending, key)
	delete(o.failing, key)
	if i := slices.Index(o.queue, key); i >= 0 {
		o.queue = slices.Delete(o.queue, i, i+1)
	}
}

// Len is how much is pending.
func (o *Outbox) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue)
}

// Serve delivers until ctx ends, one thing at a time.
func (o *Outbox) Serve(ctx context.Context) {
	for ctx.Err() == nil {
		pause, away := o.round(ctx)
		more := o.more
		if away {
			more = nil
		}
		wait(ctx, pause, more)
	}
}

// wait ends with ctx, with something new, or after a pause, if there is one.
func wait(ctx context.Context, pause time.Duration, more <-chan struct{}) {
	var again <-chan time.Time
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		again = timer.C
	}
	select {
	case <-ctx.Done():
	case <-more:
	case <-again:
	}
}

// Flush delivers what is pending now, and returns when nothing is, or when ctx
// ends or would end before the next try. It reports whether nothing is left.
func (o *Outbox) Flush(ctx context.Context) bool {
	o.hurry()
	for ctx.Err() == nil {
		pause, _ := o.round(ctx)
		end, ends := ctx.Deadline()
		if pause == 0 || ends && time.Now().Add(pause).After(end) {
			break
		}
		wait(ctx, pause, nil)
	}
	return o.Len() == 0
}

// hurry lets everything be tried at once.
func (o *Outbox) hurry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, l := range o.pending {
		l.until = time.Time{}
		o.pending[key] = l
	}
}

// round delivers until nothing is pending, or nothing can be tried for a while;
// away reports that this is so for whatever else there may be.
func (o *Outbox) round(ctx context.Context) (pause time.Duration, away bool) {
	for ctx.Err() == nil {
		key, l, pause := o.first(time.Now())
		if l.deliver == nil {
			return pause, false
		}
		err := deliver(ctx, l)
		if ctx.Err() != nil && err != nil {
			return 0, false
		}
		var v Verdict
		if err != nil {
			v = o.judge(err)
		}
		switch {
		case !v.Until.IsZero():
			return max(time.Until(v.Until), firstPause), true
		case v.Away || errors.Is(err, context.DeadlineExceeded):
			o.log.Warn(o.to+" does not answer; what is pending is posted later", "what", key, "pending", o.Len(), "error", err)
			if pause := o.failed(key, time.Now()); pause > 0 {
				return pause, true
			}
			continue
		}
		o.logRefusal(key, err, v.Quiet)
		o.done(key, l)
	}
	return 0, false
}

func deliver(ctx context.Context, l letter) error {
	ctx, cancel := context.WithTimeout(ctx, deliverTime)
	defer cancel()
	return l.deliver(ctx)
}

// logRefusal logs what a receiver refuses, once.
func (o *Outbox) logRefusal(key string, err error, quiet bool) {
	o.mu.Lock()
	before := o.refused[key]
	delete(o.refused, key)
	if err != nil {
		if len(o.refused) >= mostRefused {
			clear(o.refused)
		}
		o.refused[key] = err.Error()
	}
	o.mu.Unlock()
	switch {
	case err == nil:
	case quiet:
		o.log.Debug(o.to+" does not take it", "what", key, "error", err)
	case before != err.Error():
		o.log.Error(o.to+" refuses it", "what", key, "error", err)
	}
}

// first is the first thing that may be tried now. When there is none, pause is
// how long to wait for one; 0 when nothing is pending.
func (o *Outbox) first(now time.Time) (key string, l letter, pause time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range o.queue {
		l := o.pending[key]
		wait := l.until.Sub(now)
		if wait <= 0 {
			return key, l, 0
		}
		if pause == 0 || wait < pause {
			pause = wait
		}
	}
	return "", letter{}, pause
}

// failed puts a thing off. When several in a row cannot be delivered, the receiver
// is away, and pause is how long to leave it alone: that is held against none of
// them.
func (o *Outbox) failed(key string, now time.Time) (pause time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, ok := o.pending[key]
	if !ok {
		return 0
	}
	o.failing[key] = true
	if len(o.failing) >= mostFailing {
		o.strikes++
		return later(o.strikes)
	}
	l.failures++
	l.until = now.Add(later(l.failures))
	o.pending[key] = l
	return 0
}

// later is the pause after so many failures: twice as long each time, and half
// of it is left to chance.
func later(failures int) time.Duration {
	return backoff.Spread(backoff.Pause(firstPause, longPause, failures))
}

// done takes a letter away, unless a newer one of its key came meanwhile: that
// goes to the end, so that one key starves no other.
func (o *Outbox) done(key string, l letter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.failing)
	o.strikes = 0
	newest, ok := o.pending[key]
	o.drop(key)
	if ok && newest.number != l.number {
		newest.failures, newest.until = 0, time.Time{}
		o.queue, o.pending[key] = append(o.queue, key), newest
	}
}
