package defaults

import "sync"

// Memory is what kinds know of what they did themselves, and no list shows, as why an attempt failed. It outlives the login with which that was found out.
type Memory struct {
	mu    sync.Mutex
	kinds map[string]any
}

// Recall is what a kind has in a memory, which is made anew where there is none yet. With no memory each login has its own.
func Recall[T any](m *Memory, kind string, anew func() *T) *T {
	if m == nil {
		return anew()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kinds == nil {
		m.kinds = map[string]any{}
	}
	if _, ok := m.kinds[kind]; !ok {
		m.kinds[kind] = anew()
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
