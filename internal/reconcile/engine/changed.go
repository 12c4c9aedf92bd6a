package engine

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

// changedObjects has the objects of a collection that steps changed since it was listed. The value in live
// is nil for an object that is gone.
type changedObjects struct {
	ids  []entryObject // in the order in which they changed
	live map[entryObject]*kind.Live
}

// entryObject is an object as one entry shows it.
type entryObject struct{ entry, id string }

// hasChanged reports whether an object changed, through any of the entries that show it.
func (m *changedObjects) hasChanged(l *kind.Live) bool {
	_, touched := m.live[entryObject{l.Entry, l.ID}]
	for i := range l.OtherViews {
		_, also := m.live[entryObject{l.OtherViews[i].Entry, l.ID}]
		touched = touched || also
	}
	return touched
}

// noteChanged records a fresh object, or an object that is gone, so that its
// dependents need not wait for the next list.
func (r *run) noteChanged(kindName string, id entryObject, live *kind.Live) {
	m := r.changed[kindName]
	if m == nil {
		m = &changedObjects{live: map[entryObject]*kind.Live{}}
		r.changed[kindName] = m
	}
	if _, again := m.live[id]; !again {
		m.ids = append(m.ids, id)
	}
	m.live[id] = live
}

// mergeChanged merges the changed objects into the snapshot. Steps in flight
// continue to read the items of their own plan.
func (r *run) mergeChanged() {
	for kindName, m := range r.changed {
		c := r.snapshot[kindName]
		ids, more := make([]string, 0, len(m.ids)), make([]*kind.Live, 0, len(m.ids))
		for _, id := range m.ids {
			ids = append(ids, id.id)
			if live := m.live[id]; live != nil {
				more = append(more, live)
			}
		}
		c.Index = c.Indexed().Replaced(ids, m.hasChanged, more)
		c.Items = c.Index.Items()
		r.snapshot[kindName] = c
	}
	clear(r.changed)
}
