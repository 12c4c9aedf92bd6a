package defaults

import "sync"

// Memory has what kinds know about their own actions and no list shows, such as why an attempt failed. It outlives the login that found it out.
type Memory struct {
	mu    sync.Mutex
	kinds map[string]any
}

// Recall returns a kind's part of a memory, and creates it on first use. Without a memory each login has its own.
func Recall[T any](m *Memory, kind string, create func() *T) *T {
	if m == nil {
		return create()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kinds == nil {
		m.kinds = map[string]any{}
	}
	if _, ok := m.kinds[kind]; !ok {
		m.kinds[kind] = create()
	}
	return m.kinds[kind].(*T)
}

// Of is the memory for another entry of clouds.yaml that the stack uses: an action that failed in one cloud may succeed in another. nil stays nil.
func (m *Memory) Of(entry string) *Memory {
	if m == nil {
		return nil
	}
	return Recall(m, "entry "+entry, func() *Memory { return &Memory{} })
}
