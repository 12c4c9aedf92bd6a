package definition

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// parse reads a default.
func (s *shape) parse(text string) (value any, err error) {
	switch s.what {
	case "string":
		return text, nil
	case "integer":
		value, err = strconv.ParseInt(text, 10, 64)
	case "boolean":
		value, err = strconv.ParseBool(text)
	case "float":
		var n float64
		if n, err = strconv.ParseFloat(text, 64); err == nil && !finite(n) {
			err = errShape
		}
		value = n
	default:
		in := json.NewDecoder(strings.NewReader(text))
		in.UseNumber()
		if err = in.Decode(&value); err == nil && in.More() {
			err = errShape
		}
		value = plain(value)
	}
	if err != nil {
		return nil, fmt.Errorf("is not %s", s.words())
	}
	return value, nil
}

var errShape = fmt.Errorf("another type")

// settle has the default be what a manifest with that value would say: checked by the same rules, and with the defaults of
// what is below it.
func (f *field) settle(s *shape) []manifest.Problem {
	if f.fallback == nil {
		return nil
	}
	alone := field{name: "default", typ: s, markers: markers{rules: f.rules}}
	into := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "F", Type: s.goType(), Tag: alone.tag()}}))
	body, err := manifest.NewBody(map[string]any{alone.name: f.fallback}, 0)
	if err != nil {
		return []manifest.Problem{{Field: alone.name, What: err.Error()}}
	}
	obj := body.Object(manifest.Key{}, "", manifest.Origin{}, nil)
	if problems := obj.Decode(into.Interface()); len(problems) > 0 {
		return problems
	}
	f.fallback, _ = s.read(into.Elem().Field(0))
	return nil
}

// read is a decoded value as expressions see it, with the defaults of what is absent. ok is false where there
// is no value.
func (s *shape) read(v reflect.Value) (value any, ok bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, false
		}
		v = v.Elem()
	}
	switch s.what {
	case "list":
		if v.IsNil() {
			return nil, false
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i], _ = s.elem.read(v.Index(i))
		}
		return list, true
	case "map":
		if v.IsNil() {
			return nil, false
		}
		m := make(map[string]any, v.Len())
		for key, item := range v.Seq2() {
			m[key.String()], _ = s.elem.read(item)
		}
		return m, true
	case "struct":
		return s.readStruct(v), true
	case "object":
		return plain(v.Interface()), true
	}
	return v.Interface(), true
}

func (s *shape) readStruct(v reflect.Value) map[string]any {
	m := make(map[string]any, len(s.fields))
	for i, f := range s.fields {
		value, ok := f.typ.read(v.Field(i))
		if !ok {
			value, ok = f.absent()
		}
		if ok {
			m[f.name] = value
		}
	}
	return m
}

// absent is what is taken for a field that a manifest leaves out: its default, or the defaults below it where that
// needs nothing more.
func (f *field) absent() (any, bool) {
	if f.fallback != nil {
		return f.fallback, true
	}
	if f.typ.what != "struct" {
		return nil, false
	}
	m, some := map[string]any{}, false
	for _, below := range f.typ.fields {
		value, ok := below.absent()
		if ok {
			m[below.name], some = value, true
		} else if below.required {
			return nil, false
		}
	}
	return m, some
}

// plain is a value of any form as expressions see it.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64()
		return n
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key := range v {
			m[key] = plain(v[key])
		}
		return m
	}
	return v
}
