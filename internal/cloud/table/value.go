package table

import "reflect"

// of returns the field's value in a struct; the result given is false if it is left out.
func (r *row) of(v reflect.Value) (value reflect.Value, given bool) {
	for _, i := range r.index {
		if v = pointedTo(v); !v.IsValid() {
			return v, false
		}
		v = v.Field(i)
	}
	if v.Kind() == reflect.Pointer {
		return v.Elem(), !v.IsNil()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v, !v.IsNil()
	}
	return v, r.required || !v.IsZero()
}

func pointedTo(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer {
		return v.Elem()
	}
	return v
}

// place returns the field in a struct, so that it can be set. It allocates nil pointers on the
// path.
func (r *row) place(v reflect.Value) reflect.Value {
	for _, i := range r.index {
		v = made(v).Field(i)
	}
	return made(v)
}

func made(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	return v.Elem()
}

// wanted returns the value that the manifest wants for the field; the result asked is false if it wants none.
func (r *row) wanted(spec reflect.Value, name string) (value reflect.Value, asked bool) {
	value, given := r.of(spec)
	switch {
	case given:
		return value, true
	case r.named:
		return reflect.ValueOf(name), true
	case r.byDefault != "":
		return r.parse(r.byDefault), true
	}
	return reflect.Zero(r.typ), r.empty
}

// seen returns the field's value in a spec that was read from a service's answer, or for [Table.ValueIn] in a
// desired spec. The result shown is false if the spec does not contain it. Then the value is the fallback, or zero.
func (r *row) seen(have reflect.Value) (value reflect.Value, shown bool) {
	value, shown = r.of(have)
	if !shown && r.fallback != "" {
		return r.parse(r.fallback), false
	}
	if !value.IsValid() {
		value = reflect.Zero(r.typ)
	}
	return value, shown
}
