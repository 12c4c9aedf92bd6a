package document

import (
	"reflect"
	"strings"
)

// fieldNames adds the JSON names of the fields of a type, and of the types within it.
func fieldNames(t reflect.Type, into map[string]bool) {
	walkFields(t, map[reflect.Type]bool{}, into)
}

func walkFields(t reflect.Type, seen map[reflect.Type]bool, into map[string]bool) {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case name == "" && !f.Anonymous:
			name = f.Name
		}
		if name != "" {
			into[name] = true
		}
		walkFields(f.Type, seen, into)
	}
}
