package defaults

import "sync"

// Memory contains facts that kinds know from their own actions, and that no list shows, such as why an attempt failed. It stays when the agent
// logs in again.
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

// Of returns the memory for another entry of clouds.yaml that the stack uses, because an action that failed in one cloud may succeed in another.
// It returns nil if m is nil.
func (m *Memory) Of(entry string) *Memory {
	if m == nil {
		return nil
	}
	return Recall(m, "entry "+entry, func() *Memory { return &Memory{} })
}
