package oslo

import (
	"fmt"
	"slices"
)

// Page is the part of a list that a request asks for.
type Page struct {
	Limit   int    // zero: all
	Marker  string // id of the record before the page; empty: the first page
	Order   []Order
	Filters map[string]func(have string) bool // by attribute
}

// Fits reports whether a record passes all filters. A list passes if one of its
// items does. A null never passes.
func (p Page) Fits(f Fields, rec any) bool {
	for name, fits := range p.Filters {
		have, _ := f.Get(rec, name)
		if list, ok := have.([]string); ok {
			if !slices.ContainsFunc(list, fits) {
				return false
			}
		} else if have == nil || !fits(fmt.Sprint(have)) {
			return false
		}
	}
	return true
}

// Order is one key of a sorted list.
type Order struct {
	Key  string // an attribute
	Desc bool
}

// SortBy orders records by attributes, the first key first.
func SortBy[T any](recs []*T, f Fields, keys ...Order) {
	slices.SortStableFunc(recs, func(a, b *T) int {
		for _, key := range keys {
			x, _ := f.Get(a, key.Key)
			y, _ := f.Get(b, key.Key)
			if key.Desc {
				x, y = y, x
			}
			switch {
			case Less(x, y):
				return -1
			case Less(y, x):
				return 1
			}
		}
		return 0
	})
}

// After returns the records after the marker's; false if there is no such record.
func After[T any](recs []*T, id func(*T) string, marker string) ([]*T, bool) {
	i := slices.IndexFunc(recs, func(rec *T) bool { return id(rec) == marker })
	return recs[i+1:], i >= 0
}
