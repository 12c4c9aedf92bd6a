package oslo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Fields reads the attributes of a struct by their JSON names, so that filters
// and sort keys need no code for each attribute.
type Fields map[string][]int

// FieldsOf indexes the fields of a struct type, including those of embedded structs.
func FieldsOf[T any]() Fields {
	f := Fields{}
	f.add(reflect.TypeFor[T](), nil)
	return f
}

func (f Fields) add(t reflect.Type, path []int) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		field := t.Field(i)
		at := append(append([]int{}, path...), i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			f.add(field.Type, at)
		case name != "" && name != "-":
			f[name] = at
		}
	}
}

// Get returns an attribute of the struct that rec points to. It follows pointers. The value is nil for null. The
// second result is false if the type has no such attribute.
func (f Fields) Get(rec any, name string) (any, bool) {
	at, ok := f[name]
	if !ok {
		return nil, false
	}
	v, err := reflect.ValueOf(rec).Elem().FieldByIndexErr(at)
	if err != nil {
		return nil, true
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, true
		}
		v = v.Elem()
	}
	return v.Interface(), true
}

// Equal compares an attribute with a word of a query.
func Equal(v any, word string) bool {
	switch v := v.(type) {
	case nil:
		return word == ""
	case bool:
		return v == Truthy(word)
	case string:
		return v == word
	default:
		return fmt.Sprint(v) == word
	}
}

// Less compares two attributes. Nulls are first. Numbers are compared as numbers, and all other values as text.
func Less(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b != nil
	}
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.CanInt() && y.CanInt() {
		return x.Int() < y.Int()
	}
	return fmt.Sprint(a) < fmt.Sprint(b)
}

// Pick returns the JSON object of a value with only the named attributes, in the order of the object. Without
// names, it returns all attributes.
func Pick(v any, names []string) (any, error) {
	if len(names) == 0 {
		return v, nil
	}
	raw, err := marshal(v)
	if err != nil {
		return nil, err
	}
	want := map[string]bool{}
	for _, n := range names {
		want[n] = true
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if !want[name.(string)] {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%s", name, value)
	}
	return json.RawMessage(append(out, '}')), nil
}
