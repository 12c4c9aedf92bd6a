// Package outbox holds what is pending for a receiver until it is delivered: only the newest of each key, tried again after growing pauses.
//
// It knows neither what is delivered nor to whom. The package of the receiver decides what follows from an error.
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

// Judge returns what follows from an error of a delivery.
type Judge func(error) Verdict

// Verdict is what follows from an error of a delivery. The zero value is a refusal: it is logged, and not tried again.
type Verdict struct {
	Away  bool      // the receiver does not answer: try again.
	Until time.Time // the receiver takes nothing before; zero when unknown.
	Quiet bool      // the receiver never takes such things: no need to log it
}

// Outbox holds what is pending for a receiver until it is delivered. A receiver that is down blocks nobody: only the newest of each key waits.
// A delivery that fails while others succeed delays none of them.
type Outbox struct {
	log   *slog.Logger
	to    string // name of the receiver, for people
	judge Judge

	mu      sync.Mutex
	queue   []string          // keys, in the order in which they first became pending
	pending map[string]letter // by key
	puts    int
	more    chan struct{} // there is something new
	// failing are the keys that failed since the last success. strikes is how often the whole receiver seemed to be down since then.
	failing map[string]bool
	strikes int
	refused map[string]string // the last logged refusal of a key
}

// letter is one pending delivery. Delivering it twice changes nothing.
type letter struct {
	number   int // sequence number of the Put
	deliver  func(context.Context) error
	failures int
	until    time.Time // not to be tried before
}

const (
	firstPause = 2 * time.Second
	longPause  = 5 * time.Minute
	// mostPending is the maximum number of pending letters for a receiver that is down for long. The oldest is dropped first.
	mostPending = 10_000
	// deliverTime is the time limit of one delivery. mostFailing is how many different deliveries must fail in a row before the whole receiver
	// counts as down.
	deliverTime = 5 * time.Minute
	mostFailing = 3
	// mostRefused is how many refusals are remembered so that they are not logged again.
	mostRefused = 1_000
)

// New returns an empty outbox. to is the name of the receiver for people, and judge knows its errors.
func New(to string, judge Judge, log *slog.Logger) *Outbox {
	return &Outbox{log: log, to: to, judge: judge, pending: map[string]letter{}, failing: map[string]bool{}, refused: map[string]string{}, more: make(chan struct{}, 1)}
}

// Put makes a delivery pending, and replaces the pending one with the same key. [Outbox.Serve] or [Outbox.Flush] calls deliver, again after a
// failure. deliver compares with what the receiver holds, and writes only the differences.
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

// drop removes a key.
func (o *Outbox) drop(key string) {
	delete(o.pending, key)
	delete(o.failing, key)
	if i := slices.Index(o.queue, key); i >= 0 {
		o.queue = slices.Delete(o.queue, i, i+1)
	}
}

// Len is the number of pending deliveries.
func (o *Outbox) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue)
}

// Serve delivers until ctx ends, one delivery at a time.
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

// wait returns when ctx ends, when there is something new, or after a pause, if there is one.
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

// Flush delivers what is pending now. It returns when nothing is left, or when ctx ends or would end before the next attempt. It reports
// whether nothing is left.
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

// hurry makes everything due at once.
func (o *Outbox) hurry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, l := range o.pending {
		l.until = time.Time{}
		o.pending[key] = l
	}
}

// round delivers until nothing is pending, or nothing can be tried for a while. away means that this is so for the whole receiver.
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
			o.log.Warn(o.to+" does not answer; pending reports are sent later", "what", key, "pending", o.Len(), "error", err)
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

// logRefusal logs once that a receiver refuses a key.
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

// first returns the first delivery that is due. If none is, pause is how long to wait for one; 0 when nothing is pending.
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

// failed postpones a delivery. When several in a row fail, the receiver is down, and pause is how long to leave it alone. None of the
// deliveries is blamed for that.
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

// later is the pause after a number of failures. It doubles each time; half of it is random.
func later(failures int) time.Duration {
	return backoff.Spread(backoff.Pause(firstPause, longPause, failures))
}

// done removes a letter, unless a newer one with its key arrived meanwhile. The newer one goes to the end, so that one key does not starve
// others.
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
