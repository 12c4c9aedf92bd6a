package cloud

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// turns lets the clients of a process send requests to one endpoint. No more requests are in flight than [concurrency] allows. If several clients
// wait, each of them in turn sends one request; the requests of one client are sent in the order in which it asked. So a client with many requests delays another one by one
// request at a time.
type turns struct {
	mu       sync.Mutex
	allowed  concurrency
	inFlight int
	queues   []*queue              // of the clients that wait, the next one first
	of       map[*transport]*queue // the same queues
	notUntil time.Time             // the service has asked to send nothing until then
	paused   map[*transport]time.Time
	alarm    *time.Timer // lets requests through after a pause; nil if no pause is waited for
}

type queue struct {
	client  *transport
	waiting []*turn
}

// turn is a request that waits, or is in flight.
type turn struct {
	ready  chan struct{} // closed when the request may be sent
	sent   bool          // whether ready is closed
	beside int           // requests in flight when it was sent, with itself
}

func newTurns(ceiling int) *turns {
	return &turns{allowed: newConcurrency(ceiling), of: map[*transport]*queue{}, paused: map[*transport]time.Time{}}
}

// maxTurnWait is how long a request waits until it may be sent. After that it fails, and nothing of it was sent.
// It is long, because many stacks share the turns: with a short limit, each of them would get some of its lists, and none of them all.
const maxTurnWait = time.Hour

var errNoTurn = errors.New("the service is overloaded, and so the request was not sent for an hour; ask the operators of the cloud")

// wait returns when a client may send a request. The caller must call done afterwards, but not if wait returns an error. t may be nil.
func (t *turns) wait(ctx context.Context, client *transport) (*turn, error) {
	if t == nil {
		return &turn{}, nil
	}
	mine := t.enter(client)
	select {
	case <-mine.ready:
		return mine, nil
	default:
	}
	bound := time.NewTimer(maxTurnWait)
	defer bound.Stop()
	select {
	case <-mine.ready:
		return mine, nil
	case <-ctx.Done():
		t.leave(client, mine)
		return nil, ctx.Err()
	case <-bound.C:
		t.leave(client, mine)
		return nil, errNoTurn
	}
}

func (t *turns) enter(client *transport) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.of[client]
	if q == nil {
		q = &queue{client: client}
		t.of[client] = q
		t.queues = append(t.queues, q)
	}
	mine := &turn{ready: make(chan struct{})}
	q.waiting = append(q.waiting, mine)
	t.next(time.Now())
	return mine
}

// leave gives up a turn that its request does not need any more.
func (t *turns) leave(client *transport, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.sent {
		t.inFlight--
	} else if q := t.of[client]; q != nil {
		q.waiting = slices.DeleteFunc(q.waiting, func(other *turn) bool { return other == mine })
	}
	t.next(time.Now())
}

// next lets requests through until as many are in flight as the allowance says.
func (t *turns) next(now time.Time) {
	if now.Before(t.notUntil) {
		t.wakeAt(t.notUntil, now)
		return
	}
	var wake time.Time
	for skipped := 0; skipped < len(t.queues) && t.inFlight < t.allowed.now(); {
		q := t.queues[0]
		t.queues = t.queues[1:]
		if len(q.waiting) == 0 {
			delete(t.of, q.client)
			continue
		}
		t.queues = append(t.queues, q)
		if until := t.paused[q.client]; now.Before(until) {
			wake = earliest(wake, until)
			skipped++
			continue
		}
		t.send(q)
		skipped = 0
	}
	t.wakeAt(wake, now)
}

// wakeAt lets requests through at a time. The zero time means that a request in flight will do that, or that none waits.
func (t *turns) wakeAt(at, now time.Time) {
	if t.alarm != nil {
		t.alarm.Stop()
		t.alarm = nil
	}
	if !at.IsZero() && len(t.queues) > 0 {
		t.alarm = time.AfterFunc(at.Sub(now), t.wake)
	}
}

func (t *turns) send(q *queue) {
	first := q.waiting[0]
	q.waiting = q.waiting[1:]
	t.inFlight++
	first.sent, first.beside = true, t.inFlight
	close(first.ready)
}

func (t *turns) wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next(time.Now())
}

// earliest returns the first of two times. A zero time does not count.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// maxPause is the longest time for which a service that asks for it gets no requests from a client, or from all clients.
const maxPause = maxRetryAfter

// done ends a turn. pause is how long the service asks to wait: this client, or all clients if all is true. It returns the new allowance; 0 if t is nil.
func (t *turns) done(client *transport, x exchange, pause time.Duration, all bool) int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight--
	t.allowed.note(x)
	if until := x.ended.Add(min(pause, maxPause)); pause > 0 && all {
		t.notUntil = later(t.notUntil, until)
	} else if pause > 0 {
		for other, ends := range t.paused {
			if !x.ended.Before(ends) {
				delete(t.paused, other)
			}
		}
		t.paused[client] = later(t.paused[client], until)
	}
	t.next(x.ended)
	return t.allowed.now()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
