package cloud

import (
	"context"
	"sync"
	"time"
)

// joint sends a question only once for all callers that ask it at the same time. Each caller gives a time, and gets no answer to a question that
// was sent before that time. If the question that is being answered is older, the caller waits for the next one. Callers that arrive until then
// wait for the same one. The zero value can be used, and contains no answer.
type joint[T any] struct {
	mu              sync.Mutex
	out, next, kept map[string]*question[T]
	count           uint64 // of the answers that were kept
}

type question[T any] struct {
	asked  time.Time     // when it was sent; zero until then
	took   time.Duration // until it was answered
	ended  chan struct{}
	answer T
	whose  audience
	keep   time.Duration // how long later callers may have it
	forget *time.Timer   // removes the answer after that time; nil until the timer is started
	number uint64        // of the kept answer
}

// audience says who may have an answer besides the caller that sent the question.
type audience int

const (
	// nobody: the caller gave up before there was an answer. One of the waiting callers sends the question for the others.
	nobody audience = iota
	// oneCaller: each waiting caller sends a question of its own.
	oneCaller
	// waitingCallers: the question failed, and would fail for each of them.
	waitingCallers
	// laterCallers: the waiting callers, and those that arrive within the time for which the answer is kept.
	laterCallers
)

// fresh reports whether the question is not sent yet, or was sent after since. Only then is its answer new enough for a caller that gives since.
func (q *question[T]) fresh(since time.Time) bool {
	return q != nil && (q.asked.IsZero() || q.asked.After(since))
}

// do calls ask to send the question, or waits for the answer to the same question that another caller has sent after since. ask also returns
// who may have its answer. If that is only one caller, each waiting caller calls its own ask, all at the same time. Callers that arrive
// within keep may have the answer, too. The answer is the zero value if ctx ends first.
func (j *joint[T]) do(ctx context.Context, key string, since time.Time, keep time.Duration, ask func() (T, audience)) (none T) {
	for {
		own, before, mine := j.enter(key, since)
		if mine {
			return j.lead(ctx, key, own, before, keep, ask)
		}
		if !ended(ctx, own) {
			return none
		}
		switch own.whose {
		case waitingCallers, laterCallers:
			return own.answer
		case oneCaller:
			answer, _ := ask()
			return answer
		case nobody:
		}
	}
}

// lead sends the question of a caller. Before that, it waits for the answer to the previous question, and for the pause after a slow
// answer ([joint.rest]).
func (j *joint[T]) lead(ctx context.Context, key string, own, before *question[T], keep time.Duration, ask func() (T, audience)) (none T) {
	defer j.end(key, own)
	if before != nil && !ended(ctx, before) {
		return none
	}
	if !sleep(ctx, j.rest(key, time.Now())) {
		return none
	}
	j.send(own)
	own.answer, own.whose = ask()
	own.took = time.Since(own.asked)
	own.keep = keep
	return own.answer
}

// enter returns the question whose answer a caller gets (own), and the question that has to end first, or nil if there is none (before). It
// reports whether the caller itself has to send its question (mine).
func (j *joint[T]) enter(key string, since time.Time) (own, before *question[T], mine bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.out == nil {
		j.out, j.next, j.kept = map[string]*question[T]{}, map[string]*question[T]{}, map[string]*question[T]{}
	}
	for _, there := range []*question[T]{j.kept[key], j.out[key], j.next[key]} {
		if there.fresh(since) {
			return there, nil, false
		}
	}
	own, before = &question[T]{ended: make(chan struct{})}, j.out[key]
	if before == nil {
		j.out[key] = own
	} else {
		j.next[key] = own
	}
	return own, before, true
}

const (
	// restFactor and maxRest bound the pause after an answer. If the answer took 1 s, the next question is sent 3 s after the last one, but at
	// most maxRest after the answer. So more callers get each answer of a long list, which costs much.
	restFactor = 3
	maxRest    = 500 * time.Millisecond
)

// rest returns how long a question is not sent, because its last answer took long. It is 0 if answers are not kept for later callers.
func (j *joint[T]) rest(key string, now time.Time) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	last := j.kept[key]
	if last == nil {
		return 0
	}
	return last.asked.Add(min(restFactor*last.took, last.took+maxRest)).Sub(now)
}

func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (j *joint[T]) send(own *question[T]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	own.asked = time.Now()
}

// end is called once for each question, even if the question was never sent.
func (j *joint[T]) end(key string, own *question[T]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.next[key] == own {
		delete(j.next, key)
	}
	if j.out[key] == own {
		delete(j.out, key)
		if next := j.next[key]; next != nil {
			j.out[key] = next
			delete(j.next, key)
		}
	}
	if own.whose == laterCallers && own.keep > 0 {
		if old := j.kept[key]; old != nil {
			old.forget.Stop()
		}
		j.kept[key] = own
		j.count++
		number := j.count // the runtime may keep a stopped timer, and with it the variables of its function
		own.number, own.forget = number, time.AfterFunc(own.keep, func() { j.forget(key, number) })
	}
	close(own.ended)
}

// last returns the stored answer; the zero value if there is none.
func (j *joint[T]) last(key string) (none T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if there := j.kept[key]; there != nil {
		return there.answer
	}
	return none
}

// drop removes the stored answer if which returns true for it, so that no later caller gets it.
func (j *joint[T]) drop(key string, which func(T) bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if there := j.kept[key]; there != nil && which(there.answer) {
		there.forget.Stop()
		delete(j.kept, key)
	}
}

// forget removes a kept answer, unless there is a newer one.
func (j *joint[T]) forget(key string, number uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if there := j.kept[key]; there != nil && there.number == number {
		delete(j.kept, key)
	}
}

func ended[T any](ctx context.Context, q *question[T]) bool {
	select {
	case <-q.ended:
		return true
	case <-ctx.Done():
		return false
	}
}
