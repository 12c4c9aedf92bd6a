package table

import (
	"fmt"
	"reflect"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Path is the path of a spec's field in a manifest, unless its kind is flat.
func Path(field string) string { return "spec.resource." + field }

// lookup resolves a reference by kind and name.
type lookup func(kind, name string) kind.Ref

// Differ reports the fields in which have differs from want. Both are structs of one type, whose
// path in manifests is at. Their references are already IDs.
func Differ(at string, want, have any, c *kind.Changes) {
	w, h := pointedTo(reflect.ValueOf(want)), pointedTo(reflect.ValueOf(have))
	rows := rowsOf(w.Type())
	for i := range rows {
		r := &rows[i]
		r.compare(at+"."+r.path, byID, w, h, "", c)
	}
}

// byID is the lookup for references that are already IDs.
func byID(_, id string) kind.Ref { return kind.Ref{Name: id, ID: id, Ready: id != ""} }

// compare reports the field if it differs from the manifest.
func (r *row) compare(field string, find lookup, want, have reflect.Value, name string, c *kind.Changes) {
	wanted, asked := r.wanted(want, name)
	seen, shown := r.seen(have)
	if r.attr == "" || r.unread || !asked || r.hidden && !shown {
		return
	}
	switch {
	case r.ref != "" && r.typ.Kind() == reflect.String && wanted.String() != "":
		kind.Link(c, field, seen.String(), find(r.ref, wanted.String()), r.change)
	case r.pairs:
		kind.Differs(c, field, pairsOf(seen), pairsOf(wanted), r.change)
	case r.set:
		kind.Set(c, field, r.texts(nil, seen), r.texts(find, wanted), r.change)
	case r.typ.Kind() == reflect.Slice:
		kind.Differs(c, field, r.texts(nil, seen), r.texts(find, wanted), r.change)
	default:
		kind.Differs(c, field, r.value(seen), r.value(wanted), r.change)
	}
}

// value is the form in which a value is compared. A struct with a method String is compared by that
// text.
func (r *row) value(v reflect.Value) any {
	if v.Kind() == reflect.String {
		return r.normal(v.String())
	}
	if text, ok := v.Interface().(fmt.Stringer); ok && r.below != nil {
		return text.String()
	}
	return v.Interface()
}

// texts returns the elements of a list in the form in which they are compared. If find is not nil,
// references are replaced by the IDs of their targets. Structs are compared by their method String.
func (r *row) texts(find lookup, list reflect.Value) []string {
	out := make([]string, list.Len())
	for i := range out {
		element := list.Index(i)
		switch {
		case find != nil && r.ref != "":
			out[i] = ID(find(r.ref, element.String()))
		case element.Kind() == reflect.String:
			out[i] = r.normal(element.String())
		default:
			out[i] = fmt.Sprint(element.Interface())
		}
	}
	return out
}

// ID is the ID of a reference's target, or a text that says when it will be known; "" if there is
// no reference.
func ID(ref kind.Ref) string {
	if ref.Name != "" && !ref.Ready {
		return "known once " + ref.Key.String() + " is ready"
	}
	return ref.ID
}
