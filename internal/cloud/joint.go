package cloud

import (
	"context"
	"sync"
	"time"
)

// joint lets those who ask the same at one time ask once. Each says since when an answer must have been asked for, and gets none
// that is older: if that is later than when a question was sent which is out, they wait for the next one, together with
// all who come until then. Its zero value is ready, and keeps no answer.
type joint[T any] struct {
	mu              sync.Mutex
	out, next, kept map[string]*question[T]
}

type question[T any] struct {
	asked  time.Time // zero until it is sent
	ended  chan struct{}
	answer T
	common bool          // whether those who wait may have the answer
	keep   time.Duration // for how long those who come later may have it
	forget *time.Timer   // ends that; nil before it begins
}

// fresh reports whether a question's answer is good for who wants one that was asked for after a time.
func (q *question[T]) fresh(since time.Time) bool {
	return q != nil && (q.asked.IsZero() || q.asked.After(since))
}

// do asks, or waits for somebody else's answer to the same that was asked for later than since. ask says whether others may have its answer; where
// they may not, each of them asks alone, all at once. Those who come within keep may have it, too. The answer is the zero one if ctx ends first.
func (j *joint[T]) do(ctx context.Context, key string, since time.Time, keep time.Duration, ask func() (T, bool)) (none T) {
	own, before, mine := j.enter(key, since)
	if !mine {
		if !ended(ctx, own) {
			return none
		}
		if own.common {
			return own.answer
		}
		answer, _ := ask()
		return answer
	}
	defer j.end(key, own)
	if before != nil && !ended(ctx, before) {
		return none
	}
	j.send(own)
	own.answer, own.common = ask()
	own.keep = keep
	return own.answer
}

// enter is the question that a caller takes part in, the one that has to end first, and whether the caller is who asks.
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

func (j *joint[T]) send(own *question[T]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	own.asked = time.Now()
}

// end is called once for each question, also for one that was not asked.
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
	if own.common && own.keep > 0 {
		if old := j.kept[key]; old != nil {
			old.forget.Stop() // or it would hold the old answer until then
		}
		j.kept[key] = own
		own.forget = time.AfterFunc(own.keep, func() { j.forget(key, own) })
	}
	close(own.ended)
}

// last is the answer that was kept last; the zero one for none.
func (j *joint[T]) last(key string) (none T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if there := j.kept[key]; there != nil {
		return there.answer
	}
	return none
}

// drop forgets an answer that those who come later must not have.
func (j *joint[T]) drop(key string, which func(T) bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if there := j.kept[key]; there != nil && which(there.answer) {
		there.forget.Stop() // or it would hold the answer until then
		delete(j.kept, key)
	}
}

func (j *joint[T]) forget(key string, own *question[T]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.kept[key] == own {
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
