package memory

import "time"

// NoteBuilt records how long the cloud has worked on a new object of a kind. A shorter time counts at once, a longer one by a quarter, because
// an object may also have waited for its turn in the cloud.
func (m *Memory) NoteBuilt(kind string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	usual, known := m.building[kind]
	if known && took > usual {
		took = usual + (took-usual)/4
	}
	set(&m.building, kind, took)
}

// UsuallyTakes returns how long the cloud usually works on a new object of a kind; 0 if that is unknown.
func (m *Memory) UsuallyTakes(kind string) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.building[kind]
}
