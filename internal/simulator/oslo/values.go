package oslo

import (
	"encoding/json"
	"reflect"
)

// Values are the attributes of one request after its table has checked and converted them. If the request
// contained an attribute, there is also the key "?name".
type Values map[string]any

// Has reports whether there is a value, from the request or a default.
func (v Values) Has(name string) bool { _, ok := v[name]; return ok }

// Sent reports whether the value is from the request and not a default.
func (v Values) Sent(name string) bool { return v.Has("?" + name) }

// Text returns a value that is a text, and "" for any other value.
func (v Values) Text(name string) string { s, _ := v[name].(string); return s }

// Flag returns a value that is a boolean, and false for any other value.
func (v Values) Flag(name string) bool { b, _ := v[name].(bool); return b }

// Number returns a value that is a number, and 0 for any other value.
func (v Values) Number(name string) int { i, _ := v[name].(int); return i }

// TextPtr returns a value that is a text, and nil for any other value.
func (v Values) TextPtr(name string) *string {
	if s, ok := v[name].(string); ok {
		return &s
	}
	return nil
}

// Take copies an attribute to the variable if v has it with this type. A default counts, too.
func Take[T any](v Values, name string, to *T) {
	if x, ok := v[name].(T); ok {
		*to = x
	}
}

// TakePtr copies an attribute to the variable if v has it. A default counts, too. For null, the variable becomes nil.
func TakePtr[T any](v Values, name string, to **T) {
	x, sent := v[name]
	if !sent {
		return
	}
	if t, ok := x.(T); ok {
		*to = &t
	} else {
		*to = nil
	}
}

// Set writes values into the attributes of the same name of the struct that rec points to. A null clears an
// attribute. Values for which the struct has no attribute are ignored.
func (f Fields) Set(rec any, v Values) {
	for name, x := range v {
		at, ok := f[name]
		if !ok {
			continue
		}
		to, from := reflect.ValueOf(rec).Elem().FieldByIndex(at), reflect.ValueOf(x)
		switch {
		case x == nil:
			to.SetZero()
		case to.Kind() == reflect.Pointer && from.Kind() != reflect.Pointer:
			to.Set(reflect.New(to.Type().Elem()))
			to.Elem().Set(from)
		default:
			to.Set(from)
		}
	}
}

// DropUnchanged removes an attribute from a body if its value equals that of the record.
func (f Fields) DropUnchanged(rec any, body map[string]any) {
	for name, x := range body {
		have, known := f.Get(rec, name)
		if known && sameJSON(have, x) {
			delete(body, name)
		}
	}
}

func sameJSON(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(x) == string(y)
}
