package table

import (
	"reflect"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Match reports whether an object matches an import filter. Each field of the filter is compared
// with the field of that name in the object's spec, or in the service's further attributes. A field
// that is in neither always matches, because other code compares it.
func (o *Object[Spec, More]) Match(filter any, find func(kind, name string) kind.Ref) bool {
	f := pointedTo(reflect.ValueOf(filter))
	spec, more := reflect.ValueOf(&o.Spec).Elem(), reflect.ValueOf(&o.More).Elem()
	rows := rowsOf(f.Type())
	for i := range rows {
		r := &rows[i]
		asked, given := r.of(f)
		if !given || r.apart {
			continue
		}
		if s := named(rowsOf(spec.Type()), r); s != nil && !s.passes(find, asked, spec) {
			return false
		} else if m := named(rowsOf(more.Type()), r); m != nil && !m.passes(find, asked, more) {
			return false
		}
	}
	return true
}

func named(rows []row, like *row) *row {
	for i := range rows {
		if rows[i].attr != "" && rows[i].path == like.path {
			return &rows[i]
		}
	}
	return nil
}

func (r *row) passes(find lookup, asked, have reflect.Value) bool {
	seen, _ := r.seen(have)
	if r.ref != "" {
		return find(r.ref, asked.String()).ID == seen.String()
	}
	return reflect.DeepEqual(r.value(asked), r.value(seen))
}
