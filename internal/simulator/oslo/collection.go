package oslo

import "iter"

// Collection contains records in the order in which they were added.
type Collection[T any] struct {
	id    func(*T) string
	order []*T // nil at the index of a removed record
	at    map[string]int
}

// NewCollection makes an empty collection. id returns the ID of a record.
func NewCollection[T any](id func(*T) string) *Collection[T] {
	return &Collection[T]{id: id, at: map[string]int{}}
}

// Add appends a record.
func (c *Collection[T]) Add(rec *T) {
	c.at[c.id(rec)] = len(c.order)
	c.order = append(c.order, rec)
}

// Get finds a record by its ID.
func (c *Collection[T]) Get(id string) (*T, bool) {
	i, ok := c.at[id]
	if !ok {
		return nil, false
	}
	return c.order[i], true
}

// Remove removes a record and reports whether it existed.
func (c *Collection[T]) Remove(id string) bool {
	i, ok := c.at[id]
	if !ok {
		return false
	}
	c.order[i] = nil
	delete(c.at, id)
	if len(c.order) > 32 && len(c.order) > 2*len(c.at) {
		c.compact()
	}
	return true
}

func (c *Collection[T]) compact() {
	kept := make([]*T, 0, len(c.at))
	for _, rec := range c.order {
		if rec != nil {
			c.at[c.id(rec)] = len(kept)
			kept = append(kept, rec)
		}
	}
	c.order = kept
}

// Len is the number of records.
func (c *Collection[T]) Len() int { return len(c.at) }

// All iterates over the records in their order. The loop may remove the current record. To remove other records,
// collect them with Where first.
func (c *Collection[T]) All() iter.Seq[*T] {
	order := c.order
	return func(yield func(*T) bool) {
		for _, rec := range order {
			if rec != nil && !yield(rec) {
				return
			}
		}
	}
}

// Where returns the records that keep accepts.
func (c *Collection[T]) Where(keep func(*T) bool) []*T {
	var out []*T
	for rec := range c.All() {
		if keep(rec) {
			out = append(out, rec)
		}
	}
	return out
}
