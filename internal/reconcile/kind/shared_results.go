package kind

import (
	"sync"
	"time"
)

// SharedResults shares results between the lists of one snapshot, which run at the same time: if several lists need the same result,
// the request is sent once.
type SharedResults struct {
	// Lists are the collections that are listed for the kinds of the snapshot, as in [Info.Lists]; nil if they are unknown. A kind that
	// needs only a part of such a collection can use the list of another kind.
	Lists []string

	mu    sync.Mutex
	known map[string]*sharedResult
}

// sharedResult is the result of one request. Waiting for it blocks on a channel and not on a lock, so tests with a fake clock can spoil the
// request.
type sharedResult struct {
	done  chan struct{} // closed when value and err are set
	value any
	err   error
}

// Once returns the result of do. It calls do once for each key of a SharedResults. If m is nil, it calls do each time. Callers must
// not change the result. All calls with the same key must have the same type T.
func Once[T any](m *SharedResults, key string, do func() (T, error)) (T, error) {
	if m == nil {
		return do()
	}
	m.mu.Lock()
	result := m.known[key]
	first := result == nil
	if first {
		result = &sharedResult{done: make(chan struct{})}
		if m.known == nil {
			m.known = map[string]*sharedResult{}
		}
		m.known[key] = result
	}
	m.mu.Unlock()
	if first {
		defer close(result.done)
		result.value, result.err = do()
	} else {
		<-result.done
	}
	value, _ := result.value.(T) // the type is the same for a key, see above
	return value, result.err
}

// ResultsSince returns results that may come from requests that were sent at any time after since.
func ResultsSince(since time.Time) *SharedResults {
	m := &SharedResults{}
	m.Since(func() time.Time { return since })
	return m
}

// Since returns the time after which requests of the snapshot must have been sent. Unless [ResultsSince] has set it, it is the time of the
// first call. If m is nil, it is now.
func (m *SharedResults) Since(now func() time.Time) time.Time {
	at, _ := Once(m, "since", func() (time.Time, error) { return now(), nil }) // the function never fails
	return at
}
