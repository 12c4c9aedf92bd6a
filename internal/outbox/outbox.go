// Package outbox stores pending deliveries for a receiver until they are delivered. It stores only the newest
// delivery of each key, and tries a failed one again after increasing pauses.
//
// It does not depend on the content of a delivery or on the receiver. The package of the receiver decides what
// happens after an error.
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

// Judge returns the verdict on an error of a delivery.
type Judge func(error) Verdict

// Verdict says what happens after an error of a delivery. The zero value means that the receiver refuses the
// delivery: the error is logged, and the delivery is not tried again.
type Verdict struct {
	Away  bool      // the receiver does not answer, so the delivery is tried again.
	Until time.Time // the time before which the receiver accepts nothing; zero if unknown.
	Quiet bool      // the receiver never accepts such deliveries, so the error is not logged.
}

// Outbox contains the pending deliveries for a receiver. A receiver that is down blocks nobody, because only the
// newest delivery of each key waits. A delivery that fails does not delay other deliveries.
type Outbox struct {
	log   *slog.Logger
	to    string // name of the receiver, for people
	judge Judge

	mu      sync.Mutex
	queue   []string          // keys, in the order in which they first became pending
	pending map[string]letter // the keys are those of Put
	puts    int
	more    chan struct{} // receives a value when there is a new delivery
	// failing contains the keys that have failed since the last answer, which a refusal is, too. strikes is the number of times since then
	// that the whole receiver seemed to be down.
	failing map[string]bool
	strikes int
	refused map[string]string // the last logged error of a refused key
}

// letter is one pending delivery. A second delivery of the same letter has no effect.
type letter struct {
	number   int // sequence number of the Put
	deliver  func(context.Context) error
	failures int
	until    time.Time // the time before which it is not tried
}

const (
	firstPause = 2 * time.Second
	longPause  = 5 * time.Minute
	// maxPending is the maximum number of pending letters for a receiver that is down for a long time. The oldest
	// letter is dropped first.
	maxPending = 10_000
	// deliverTime is the time limit for one delivery. maxFailing is the number of different deliveries that must
	// fail in a row before the whole receiver counts as down.
	deliverTime = 5 * time.Minute
	maxFailing  = 3
	// maxRefused is the maximum number of stored errors of refused keys. They are stored so that they are logged
	// only once.
	maxRefused = 1_000
)

// New returns an empty outbox. The argument to is the name of the receiver for people. judge returns the verdict on its
// errors.
func New(to string, judge Judge, log *slog.Logger) *Outbox {
	return &Outbox{log: log, to: to, judge: judge, pending: map[string]letter{}, failing: map[string]bool{}, refused: map[string]string{}, more: make(chan struct{}, 1)}
}

// Put adds a pending delivery, which replaces the pending one with the same key. [Outbox.Serve] or
// [Outbox.Flush] calls deliver, and calls it again after a failure. deliver compares its data with those of the
// receiver, and writes only the differences.
func (o *Outbox) Put(key string, deliver func(context.Context) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, waits := o.pending[key]
	if !waits {
		if len(o.queue) >= maxPending {
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

// Len returns the number of pending deliveries.
func (o *Outbox) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue)
}

// Serve carries out deliveries until ctx ends, one at a time.
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

// wait returns when ctx ends, when there is a new delivery, or after a pause. If pause is 0, it does not end the
// wait.
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

// Flush carries out the deliveries that are pending now. It returns when none is left, or when ctx ends or would
// end before the next attempt. It reports whether none is left.
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

// hurry makes all deliveries due immediately.
func (o *Outbox) hurry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, l := range o.pending {
		l.until = time.Time{}
		o.pending[key] = l
	}
}

// round carries out deliveries until none is pending, or none can be tried before a pause. It then returns the length of the
// pause; 0 if none is pending. If away is true, the whole receiver counts as down, and new deliveries wait for the pause, too.
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

// logRefusal logs only once that a receiver refuses a key.
func (o *Outbox) logRefusal(key string, err error, quiet bool) {
	o.mu.Lock()
	before := o.refused[key]
	delete(o.refused, key)
	if err != nil {
		if len(o.refused) >= maxRefused {
			clear(o.refused)
		}
		o.refused[key] = err.Error()
	}
	o.mu.Unlock()
	switch {
	case err == nil:
	case quiet:
		o.log.Debug(o.to+" rejects the report", "what", key, "error", err)
	case before != err.Error():
		o.log.Error(o.to+" refuses it", "what", key, "error", err)
	}
}

// first returns the first delivery that is due. If none is due, pause is the time until one is due, and 0 if
// none is pending.
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

// failed delays a delivery that has failed. If several deliveries fail in a row, the receiver counts as down,
// and pause is the time for which nothing is sent to it. Then this failure does not count for the single
// delivery.
func (o *Outbox) failed(key string, now time.Time) (pause time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, ok := o.pending[key]
	if !ok {
		return 0
	}
	o.failing[key] = true
	if len(o.failing) >= maxFailing {
		o.strikes++
		return later(o.strikes)
	}
	l.failures++
	l.until = now.Add(later(l.failures))
	o.pending[key] = l
	return 0
}

// later returns the pause after a number of failures. It doubles each time; half of it is random.
func later(failures int) time.Duration {
	return backoff.Spread(backoff.Pause(firstPause, longPause, failures))
}

// done removes a letter, unless there is now a newer one with its key. The newer one is moved to the end of the
// queue, so that one key does not block other keys.
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
