package oslo

import (
	"fmt"
	"slices"
	"time"
)

// Page is the part of a list that a request asks for.
type Page struct {
	Limit   int    // zero: all
	Marker  string // ID of the last record before the page; empty for the first page
	Order   []Order
	Filters map[string]func(have string) bool // the keys are names of attributes
}

// Fits reports whether a record passes all filters. If the attribute is a list, one of its items must pass. Null
// never passes.
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

// SortBy sorts records by several attributes. The first key has precedence.
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

// After returns the records after the record that marker names. It returns false if there is no such record.
func After[T any](recs []*T, id func(*T) string, marker string) ([]*T, bool) {
	i := slices.IndexFunc(recs, func(rec *T) bool { return id(rec) == marker })
	return recs[i+1:], i >= 0
}

// ParseISO reads a time as oslo.utils does (timeutils.parse_isotime). A time without a zone is in UTC.
func ParseISO(word string) (at time.Time, err error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02"} {
		if at, err = time.Parse(layout, word); err == nil {
			return at, nil
		}
	}
	return time.Time{}, err
}
