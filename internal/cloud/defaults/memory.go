package defaults

import "sync"

// Memory is what kinds know of what they did themselves, and no list shows, as why an attempt failed. It outlives the login with which that was found out.
type Memory struct {
	mu    sync.Mutex
	kinds map[string]any
}

// Recall returns what a kind keeps in a memory, and creates it on first use. Without a memory each login has its own.
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

// Of is the memory of another entry of clouds.yaml that the stack uses: what failed in one cloud need not fail in another. nil stays nil.
func (m *Memory) Of(entry string) *Memory {
	if m == nil {
		return nil
	}
	return Recall(m, "entry "+entry, func() *Memory { return &Memory{} })
}
