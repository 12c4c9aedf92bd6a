package table

import (
	"fmt"
	"reflect"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Path is where a field of a spec stands in a manifest, unless its kind is flat.
func Path(field string) string { return "spec.resource." + field }

// lookup finds what a reference names.
type lookup func(kind, name string) kind.Ref

// Differ reports in which fields have is not as want asks for. They are structs of
// one type that stand at a path of manifests; their references are IDs already.
func Differ(at string, want, have any, c *kind.Changes) {
	w, h := pointedTo(reflect.ValueOf(want)), pointedTo(reflect.ValueOf(have))
	rows := rowsOf(w.Type())
	for i := range rows {
		r := &rows[i]
		r.compare(at+"."+r.path, byID, w, h, "", c)
	}
}

// byID is the lookup of references that are IDs already.
func byID(_, id string) kind.Ref { return kind.Ref{Name: id, ID: id, Ready: id != ""} }

// compare reports the field if it is not as it shall be.
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
		kind.Costs(c, field, pairsOf(seen), pairsOf(wanted), r.change)
	case r.set:
		kind.Set(c, field, r.texts(nil, seen), r.texts(find, wanted), r.change)
	case r.typ.Kind() == reflect.Slice:
		kind.Costs(c, field, r.texts(nil, seen), r.texts(find, wanted), r.change)
	default:
		kind.Costs(c, field, r.value(seen), r.value(wanted), r.change)
	}
}

// value is what a value is compared by. A struct with a method String says by it what it is.
func (r *row) value(v reflect.Value) any {
	if v.Kind() == reflect.String {
		return r.normal(v.String())
	}
	if text, ok := v.Interface().(fmt.Stringer); ok && r.below != nil {
		return text.String()
	}
	return v.Interface()
}

// texts are the elements of a list as they are compared; with find, references are
// the IDs of what they name. Structs say by their method String what they are.
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

// ID is that of what a reference names, or a text that says when it will be known; ""
// where the reference is not given.
func ID(ref kind.Ref) string {
	if ref.Name != "" && !ref.Ready {
		return "known once " + ref.Key.String() + " is ready"
	}
	return ref.ID
}
