package definition

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// parse parses a default.
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

// settle makes the default equal to the same value in a manifest. The default is checked by the same rules, and gets
// the defaults of the fields below it.
func (f *field) settle(s *shape) []manifest.Problem {
	if f.fallback == nil {
		return nil
	}
	alone := field{name: "default", typ: s, markers: markers{rules: f.rules}}
	as, err := structure(&alone)
	if err != nil {
		return []manifest.Problem{{Field: alone.name, What: err.Error()}}
	}
	body, err := manifest.NewBody(map[string]any{alone.name: f.fallback}, 0)
	if err != nil {
		return []manifest.Problem{{Field: alone.name, What: err.Error()}}
	}
	obj := body.Object(manifest.Key{}, "", manifest.Origin{}, nil)
	read, problems := obj.Read(as)
	if len(problems) > 0 {
		return problems
	}
	f.fallback = nil
	if value, ok := read.(manifest.Fields)[alone.name]; ok {
		f.fallback = s.seen(value)
	}
	return nil
}

// seen returns a value of a manifest as expressions see it, with defaults for absent fields.
func (s *shape) seen(v any) any {
	switch s.what {
	case "list":
		list, _ := v.([]any)
		seen := make([]any, len(list))
		for i := range list {
			seen[i] = s.elem.seen(list[i])
		}
		return seen
	case "map":
		m, _ := v.(map[string]any)
		seen := make(map[string]any, len(m))
		for key, item := range m {
			if seen[key] = s.elem.empty(); item != nil {
				seen[key] = s.elem.seen(item)
			}
		}
		return seen
	case "struct":
		fields, _ := v.(manifest.Fields)
		return s.seenStruct(fields)
	case "object":
		return plain(v)
	}
	return v
}

// empty returns the value that a map contains instead of null.
func (s *shape) empty() any {
	switch s.what {
	case "string":
		return ""
	case "integer":
		return int64(0)
	case "boolean":
		return false
	case "float":
		return 0.0
	case "struct":
		return s.seenStruct(nil)
	}
	return nil
}

func (s *shape) seenStruct(from manifest.Fields) map[string]any {
	m := make(map[string]any, len(s.fields))
	for _, f := range s.fields {
		if value, ok := from[f.name]; ok && value != nil {
			m[f.name] = f.typ.seen(value)
		} else if value, ok := f.absent(); ok {
			m[f.name] = value
		}
	}
	return m
}

// absent returns the value of a field that is not in a manifest. It is the default. Without a default, it consists of
// the defaults below the field, if no other field there is required.
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

// plain returns a value of any type as expressions see it.
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
