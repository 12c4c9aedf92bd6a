package document

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Value is one field of an object that will be created. It comes from the
// object's manifest, or from the manifest that the object was expanded from.
type Value struct {
	Field string // path in the manifest, e.g. spec.resource.cidr
	Value any    // as in JSON; references are names; nil for secrets
	// Secret is true if the value must not be shown.
	Secret bool
	// Default is true if the object would have the same value without the field in the manifest.
	Default bool
}

// Values returns the fields that the creation of an object sets, in the order of the kind's fields. They are computed on
// demand: plans are made often and read rarely.
func Values(d *kind.Desired, secrets *redact.Redactor) []Value {
	if d == nil || d.Spec == nil {
		return nil
	}
	v := valuer{show: comparison{secrets: secrets}, of: d}
	v.walk(reflect.ValueOf(d.Spec), d.SpecPath, "")
	return v.list
}

type valuer struct {
	show comparison
	of   *kind.Desired
	list []Value
}

// walk descends into structs, and adds each value that is not a struct.
func (v *valuer) walk(of reflect.Value, path, rule string) {
	rules := strings.Split(rule, ",")
	if slices.Contains(rules, "secret") {
		v.list = append(v.list, Value{Field: path, Secret: true})
		return
	}
	for of.Kind() == reflect.Pointer && !readsItself(of.Type()) {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || readsItself(of.Type()) || readsItself(reflect.PointerTo(of.Type())) {
		v.leaf(of, path, rules)
		return
	}
	for i := range of.NumField() {
		f, field := of.Type().Field(i), of.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			v.walk(field, path, "")
		case !f.IsExported() || name == "-" || absent(field, strings.Contains(options, "omitempty")):
		default:
			v.walk(field, path+"."+name, f.Tag.Get("rule"))
		}
	}
}

// absent reports whether JSON omits a field or contains null for it.
func absent(field reflect.Value, omit bool) bool {
	switch field.Kind() {
	case reflect.Pointer, reflect.Interface:
		return field.IsNil()
	case reflect.Slice, reflect.Map:
		return field.Len() == 0
	}
	return omit && field.IsZero()
}

// readsItself reports whether a type defines its own JSON form.
func readsItself(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

func (v *valuer) leaf(of reflect.Value, path string, rules []string) {
	if v.of.Encrypts(path) {
		v.list = append(v.list, Value{Field: path, Secret: true})
		return
	}
	tree, err := treeOf(of.Interface())
	if err != nil {
		return
	}
	sealSecrets(tree, of.Type())
	shown, secret := v.show.show(tree)
	shown = Redact(v.show.secrets, shown, v.owns(of.Type())) // this redacts the keys of maps, too
	if secret || shown == any(redact.Hidden) {
		v.list = append(v.list, Value{Field: path, Secret: true})
		return
	}
	usual := slices.Contains(rules, "default="+fmt.Sprint(tree))
	v.list = append(v.list, Value{Field: path, Value: shown, Default: usual})
}

// owns returns a function that reports whether a key is the name of one of a type's fields.
func (v *valuer) owns(t reflect.Type) func(key string) bool {
	fields := map[string]bool{}
	if !v.show.secrets.None() {
		fieldNames(t, fields)
	}
	return func(key string) bool { return fields[key] }
}
