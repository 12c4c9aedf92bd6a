package table

import (
	"reflect"
)

// Body is the attributes of a struct that is a part of a request by itself, defaults
// included. Its references are IDs already.
func Body(from any) map[string]any {
	v, body := pointedTo(reflect.ValueOf(from)), map[string]any{}
	rows := rowsOf(v.Type())
	for i := range rows {
		r := &rows[i]
		if value, asked := r.wanted(v, ""); r.attr != "" && !r.unwritten && asked {
			body[r.attr] = r.encode(nil, value)
		}
	}
	return body
}

// encode is a value as requests have it: references are IDs, and the fields of
// structs are called as in the API. Without find, references are IDs already.
func (r *row) encode(find lookup, v reflect.Value) any {
	switch {
	case r.pairs:
		return pairsOf(v)
	case v.Kind() == reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = r.encodeOne(find, v.Index(i))
		}
		return list
	default:
		return r.encodeOne(find, v)
	}
}

func (r *row) encodeOne(find lookup, v reflect.Value) any {
	switch {
	case v.Kind() == reflect.Struct:
		fields := map[string]any{}
		for i := range r.below {
			b := &r.below[i]
			if value, given := b.of(v); given {
				fields[b.attr] = b.encode(find, value)
			}
		}
		return fields
	case v.Kind() == reflect.String && r.ref != "" && find != nil:
		return find(r.ref, v.String()).ID
	case v.Kind() == reflect.String:
		return normal(r.format, v.String())
	}
	return v.Interface()
}
