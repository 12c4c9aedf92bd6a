package table

import (
	"encoding/json"
	"reflect"
)

// Show adds to out the fields of a struct that status shows. It leaves out missing fields, empty
// texts and empty lists.
func Show(from any, out map[string]any) {
	v := pointedTo(reflect.ValueOf(from))
	show(rowsOf(v.Type()), v, out)
}

// Shown returns the fields of an object that status shows.
func (o *Object[Spec, More]) Shown() Shown {
	shown := Shown{}
	Show(&o.Spec, shown)
	Show(&o.More, shown)
	return shown
}

func show(rows []row, v reflect.Value, out map[string]any) {
	for i := range rows {
		r := &rows[i]
		if r.shown == nil || r.attr == "" {
			continue
		}
		value, given := r.of(v)
		if !value.IsValid() || !given && r.omitZero || empty(value) {
			continue
		}
		put(out, r.shown, r.present(value))
	}
}

func put(out map[string]any, path []string, value any) {
	for _, step := range path[:len(path)-1] {
		below, ok := out[step].(map[string]any)
		if !ok {
			below = map[string]any{}
			out[step] = below
		}
		out = below
	}
	out[path[len(path)-1]] = value
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return v.IsZero()
	}
	return false
}

func (r *row) present(v reflect.Value) any {
	switch {
	case r.below == nil:
		return v.Interface()
	case v.Kind() == reflect.Struct:
		fields := map[string]any{}
		show(r.below, v, fields)
		return fields
	}
	list := make([]any, v.Len())
	for i := range list {
		list[i] = r.present(v.Index(i))
	}
	return list
}

// Shown has the fields of an object that status shows.
type Shown map[string]any

// At adds the addresses at which people find the object.
func (s Shown) At(addresses []string) any { return shownAt{s, addresses} }

type shownAt struct {
	Shown
	addresses []string
}

// MarshalJSON leaves the addresses out: they are already among the fields.
func (s shownAt) MarshalJSON() ([]byte, error) { return json.Marshal(s.Shown) }

// Addresses implements status.Addressed.
func (s shownAt) Addresses() []string { return s.addresses }
