package engine

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

// moved is what steps have made of a collection since it was listed: by ID, nil
// for what is gone.
type moved struct {
	ids  []sighting // in the order in which they moved
	live map[sighting]*kind.Live
}

// sighting is an object by an entry that shows it.
type sighting struct{ entry, id string }

// touches reports whether an object moved, whichever entry showed it.
func (m *moved) touches(l *kind.Live) bool {
	_, touched := m.live[sighting{l.Through, l.ID}]
	for i := range l.Also {
		_, also := m.live[sighting{l.Also[i].Through, l.ID}]
		touched = touched || also
	}
	return touched
}

// noteMoved records a fresh object, or of one that is gone, so that what
// depends on it need not wait for the next list.
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

// mergeMoved puts what moved into the snapshot. Steps in flight go on reading the
// items they were planned with.
func (r *run) mergeMoved() {
	r.news, r.relisted = false, false
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
