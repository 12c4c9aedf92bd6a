package definition

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
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
		if err = json.Unmarshal([]byte(text), &value); err == nil {
			value, err = s.check(value)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("is not %s", s.words())
	}
	return value, nil
}

var errShape = fmt.Errorf("another type")

// check is a JSON value as expressions see one of this type.
func (s *shape) check(v any) (any, error) {
	switch v := v.(type) {
	case string:
		if s.what == "string" || s.what == "object" {
			return v, nil
		}
	case bool:
		if s.what == "boolean" || s.what == "object" {
			return v, nil
		}
	case float64:
		switch {
		case s.what == "integer" && v == float64(int64(v)):
			return int64(v), nil
		case s.what == "float" || s.what == "object":
			return v, nil
		}
	case []any:
		if s.what == "object" {
			return v, nil
		}
		if s.what != "list" {
			break
		}
		for i := range v {
			item, err := s.elem.check(v[i])
			if err != nil {
				return nil, err
			}
			v[i] = item
		}
		return v, nil
	case map[string]any:
		return s.checkMap(v)
	}
	return nil, errShape
}

func (s *shape) checkMap(v map[string]any) (any, error) {
	switch s.what {
	case "object":
		return v, nil
	case "map":
		for key := range v {
			item, err := s.elem.check(v[key])
			if err != nil {
				return nil, err
			}
			v[key] = item
		}
		return v, nil
	case "struct":
		known := 0
		for _, f := range s.fields {
			item, ok := v[f.name]
			if !ok {
				continue
			}
			known++
			checked, err := f.typ.check(item)
			if err != nil {
				return nil, err
			}
			v[f.name] = checked
		}
		if known == len(v) {
			return v, nil
		}
	}
	return nil, errShape
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
