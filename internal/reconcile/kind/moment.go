package kind

import "sync"

// Moment is what the lists of one snapshot have in common, which are read at the same time: what several of them need is
// asked for once.
type Moment struct {
	mu    sync.Mutex
	known map[string]func() (any, error)
}

// Once is the result of do, which is called once for all with the same key at a moment, and each time at none. The result must
// not be changed; the type is the same for a key.
func Once[T any](m *Moment, key string, do func() (T, error)) (T, error) {
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
	value, _ := result.(T) // always one, see above
	return value, err
}
