package kind

import "sync"

// SharedResults shares results between the lists of one snapshot, which run at the same time: if several lists need the same result,
// the request is sent once.
type SharedResults struct {
	mu    sync.Mutex
	known map[string]func() (any, error)
}

// Once returns the result of do. It calls do once for each key of a SharedResults. If m is nil, it calls do each time. Callers must
// not change the result. All calls with the same key must have the same type T.
func Once[T any](m *SharedResults, key string, do func() (T, error)) (T, error) {
	if m == nil {
		return do()
	}
	m.mu.Lock()
	once := m.known[key]
	if once == nil {
		once = sync.OnceValues(func() (any, error) { return do() })
		if m.known == nil {
			m.known = map[string]func() (any, error){}
		}
		m.known[key] = once
	}
	m.mu.Unlock()
	result, err := once()
	value, _ := result.(T) // the type is the same for a key, see above
	return value, err
}
