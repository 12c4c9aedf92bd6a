package kind

import (
	"reflect"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// FieldNames adds what JSON calls the fields of a type and of those within it.
func FieldNames(t reflect.Type, into map[string]bool) {
	walkFields(t, map[reflect.Type]bool{}, into)
}

// vocabulary adds the names of the fields of the specs of objects, and the values that are all
// that a field takes.
func vocabulary(want []Desired, into map[string]bool) {
	seen := map[manifest.Type]bool{}
	for i := range want {
		t := want[i].specType()
		if seen[t] {
			continue
		}
		seen[t] = true
		for word := range t.Words {
			into[word] = true
		}
	}
}

// specType is the type of the object's spec; of a kind that a definition makes that of a whole document.
func (d *Desired) specType() manifest.Type {
	if _, defined := d.Spec.(manifest.Fields); defined {
		return d.Body
	}
	return manifest.TypeOf(reflect.TypeOf(d.Spec))
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
