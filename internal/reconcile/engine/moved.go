package engine

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

// moved is what steps have made of a collection since it was listed: by ID, nil
// for what is gone.
type moved struct {
	ids  []string // in the order in which they moved
	live map[string]*kind.Live[any]
}

// noteMoved records a fresh object, or of one that is gone, so that what
// depends on it need not wait for the next list.
func (r *run) noteMoved(kindName, id string, live *kind.Live[any]) {
	m := r.moved[kindName]
	if m == nil {
		m = &moved{live: map[string]*kind.Live[any]{}}
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
		items := make([]kind.Live[any], 0, len(c.Items)+len(m.ids))
		for i := range c.Items {
			if _, touched := m.live[c.Items[i].ID]; !touched {
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
