package table

import (
	"reflect"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Body returns the attributes of a struct that is written by a separate request, defaults included.
// Its references are already IDs.
func Body(from any) map[string]any {
	return bodyOf(from, func(r *row, v reflect.Value) (reflect.Value, bool) { return r.wanted(v, "") })
}

// Given returns the same as Body without the fields that are left out.
func Given(from any) map[string]any { return bodyOf(from, (*row).of) }

// Changed returns those attributes of a struct that are to be changed. changes are the changes that
// [Differ] has reported for the struct at a path.
func Changed(at string, want any, changes []kind.Change) map[string]any {
	return bodyOf(want, func(r *row, v reflect.Value) (reflect.Value, bool) {
		value, asked := r.wanted(v, "")
		return value, asked && kind.Has(changes, at+"."+r.path)
	})
}

func bodyOf(from any, take func(r *row, v reflect.Value) (value reflect.Value, taken bool)) map[string]any {
	v, body := pointedTo(reflect.ValueOf(from)), map[string]any{}
	rows := rowsOf(v.Type())
	for i := range rows {
		r := &rows[i]
		if value, taken := take(r, v); taken && r.attr != "" && !r.unwritten {
			body[r.attr] = r.encode(nil, value)
		}
	}
	return body
}

// encode is a value in the form of requests: references are IDs, and the fields of structs have
// their names in the API. If find is nil, references are already IDs.
func (r *row) encode(find lookup, v reflect.Value) any {
	switch {
	case r.null && v.IsZero():
		return nil
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
	case v.Kind() == reflect.String && r.ref != "" && v.Len() == 0: // null removes the present value
		return nil
	case v.Kind() == reflect.String && r.ref != "" && find != nil:
		return find(r.ref, v.String()).ID
	case v.Kind() == reflect.String:
		return r.normal(v.String())
	}
	return v.Interface()
}

// ValueIn is the value of an attribute in a spec, desired or read, in the form of requests; nil if no
// field has that attribute.
func (t *Table[Spec, More]) ValueIn(attr string, spec *Spec) any {
	for i := range t.rows {
		if r := &t.rows[i]; r.attr == attr {
			seen, _ := r.seen(reflect.ValueOf(spec))
			return r.encode(nil, seen)
		}
	}
	return nil
}

// Creation is the body of a create request: the fields that the manifest gives.
func (t *Table[Spec, More]) Creation(w typed.Want[Spec]) map[string]any {
	body := map[string]any{}
	for i := range t.rows {
		r := &t.rows[i]
		override := t.overrideOf(r.path)
		if override != nil && override.Write != nil {
			override.Write(w, nil, body)
			continue
		}
		value, given := r.of(reflect.ValueOf(w.Spec))
		if r.named {
			value, given = r.wanted(reflect.ValueOf(w.Spec), w.Key.Name)
		}
		if given && t.writes(r) {
			body[r.attr] = r.encode(w.Ref, value)
		}
	}
	return body
}

// Update is the body of a request that carries out changes. It leaves out references whose target is
// not known yet.
func (t *Table[Spec, More]) Update(w typed.Want[Spec], have *Object[Spec, More], changes []kind.Change) map[string]any {
	body := map[string]any{}
	for i := range t.rows {
		r := &t.rows[i]
		if !kind.Has(changes, t.root+r.path) {
			continue
		}
		override := t.overrideOf(r.path)
		if override != nil && override.Write != nil {
			override.Write(w, have, body)
			continue
		}
		if value, asked := r.wanted(reflect.ValueOf(w.Spec), w.Key.Name); asked && t.writes(r) {
			body[r.attr] = r.encode(w.Ref, value)
		}
	}
	return body
}
