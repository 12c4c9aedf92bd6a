package engine

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

// moved has the objects of a collection that steps changed since it was listed. The value in live
// is nil for an object that is gone.
type moved struct {
	ids  []sighting // in the order in which they changed
	live map[sighting]*kind.Live
}

// sighting is an object as one entry shows it.
type sighting struct{ entry, id string }

// touches reports whether an object changed, through any of the entries that show it.
func (m *moved) touches(l *kind.Live) bool {
	_, touched := m.live[sighting{l.Through, l.ID}]
	for i := range l.Also {
		_, also := m.live[sighting{l.Also[i].Through, l.ID}]
		touched = touched || also
	}
	return touched
}

// noteMoved records a fresh object, or an object that is gone, so that its
// dependents need not wait for the next list.
func (r *run) noteMoved(kindName string, id sighting, live *kind.Live) {
	m := r.moved[kindName]
	if m == nil {
		m = &moved{live: map[sighting]*kind.Live{}}
		r.moved[kindName] = m
	}
	if _, again := m.live[id]; !again {
		m.ids = append(m.ids, id)
	}
	m.live[id] = live
}

// mergeMoved merges the changed objects into the snapshot. Steps in flight
// continue to read the items of their own plan.
func (r *run) mergeMoved() {
	for kindName, m := range r.moved {
		c := r.snapshot[kindName]
		items := make([]kind.Live, 0, len(c.Items)+len(m.ids))
		for i := range c.Items {
			if !m.touches(&c.Items[i]) {
				items = append(items, c.Items[i])
			}
		}
		for _, id := range m.ids {
			if live := m.live[id]; live != nil {
				items = append(items, *live)
			}
		}
		c.Items = items
		r.snapshot[kindName] = c
	}
	clear(r.moved)
}
