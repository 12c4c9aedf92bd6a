package table

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Manifest returns the spec of a manifest with that name for an object that exists in the cloud.
// References are still IDs. Fields are left out if a manifest without them means the same.
func (t *Table[Spec, More]) Manifest(have *Object[Spec, More], name string) *Spec {
	spec := new(Spec)
	text, err := json.Marshal(&have.Spec)
	if err == nil {
		err = json.Unmarshal(text, spec)
	}
	if err != nil {
		panic(fmt.Sprintf("table: %T: %v", *spec, err)) // spec is a struct of texts, numbers and lists
	}
	tidy(t.rows, reflect.ValueOf(spec).Elem(), name)
	return spec
}

// tidy removes the fields that a manifest can leave out.
func tidy(rows []row, v reflect.Value, name string) {
	for i := range rows {
		r := &rows[i]
		value, given := r.of(v)
		if !value.IsValid() {
			continue
		}
		switch {
		case r.required:
		case !given || r.unread, r.named && value.String() == name, !r.named && (empty(value) || r.isDefault(value)):
			r.clear(v)
			continue
		}
		tidyBelow(r, value)
	}
	foldEmpty(v)
}

func tidyBelow(r *row, v reflect.Value) {
	switch {
	case r.below == nil || r.pairs:
	case v.Kind() == reflect.Struct:
		tidy(r.below, v, "")
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			tidy(r.below, v.Index(i), "")
		}
	}
}

func (r *row) isDefault(v reflect.Value) bool {
	for _, text := range []string{r.byDefault, r.fallback} {
		if text != "" && reflect.DeepEqual(r.parse(text).Interface(), v.Interface()) {
			return true
		}
	}
	return false
}

// clear removes the value of a field.
func (r *row) clear(v reflect.Value) {
	for _, i := range r.index {
		if v = pointedTo(v); !v.IsValid() {
			return
		}
		v = v.Field(i)
	}
	v.SetZero()
}

// foldEmpty removes structs without any remaining field.
func foldEmpty(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Pointer && !f.IsNil() && f.Elem().Kind() == reflect.Struct && f.CanSet() && f.Elem().IsZero() {
			f.SetZero()
		}
	}
}
