package manifest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// field is one field of a struct as manifests see it.
type field struct {
	name    string
	doc     string
	index   []int // for reflect.Value.FieldByIndex, with embedded structs flattened; nil in a type that is built at run time
	typ     Type
	present bool // see [Field]
	part    bool // reports whether it can be one of the alternatives of its struct
	rules   rules
	// example is a possible value for readers.
	example string
	ways    []Way  // the ways in which the cloud can change it
	alias   string // another name for it in the annotation that chooses a way
}

// fields describes the fields of a struct type.
type fields struct {
	list   []field
	byName map[string]int
	names  []string
	err    error // a mistake in the Go declaration
}

// fieldsOf parses the tags of a struct type once. The result depends only on the type.
func fieldsOf(t reflect.Type) *fields {
	if known, ok := fieldsByType.Load(t); ok {
		return known.(*fields)
	}
	fs := &fields{byName: map[string]int{}}
	fs.add(t, nil)
	known, _ := fieldsByType.LoadOrStore(t, fs)
	return known.(*fields)
}

var fieldsByType sync.Map // from reflect.Type to *fields; it grows only to the number of types in the program

func (fs *fields) add(t reflect.Type, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		at := append(append([]int(nil), index...), i)
		if sf.Anonymous && (name == "" || strings.Contains(options, "inline")) && sf.Type.Kind() == reflect.Struct {
			fs.add(sf.Type, at)
			continue
		}
		if name == "-" || !sf.IsExported() {
			continue
		}
		if name == "" {
			name = sf.Name
		}
		rules, err := parseRules(sf.Tag.Get("rule"))
		ways, wrong := ParseWays(sf.Tag.Get("ways"))
		if err == nil {
			err = wrong
		}
		if err == nil && shapeOf(sf.Type) == unsupported {
			err = fmt.Errorf("type %s is not supported", sf.Type)
		}
		if err == nil && !rules.identifies(TypeOf(sf.Type)) {
			err = fmt.Errorf("the rule key names no field of the list's elements")
		}
		if err != nil && fs.err == nil {
			fs.err = fmt.Errorf("field %s of %s: %w", sf.Name, t, err)
		}
		fs.append(field{name: name, doc: sf.Tag.Get("doc"), index: at, typ: TypeOf(sf.Type), part: isPart(sf.Type), rules: rules, example: sf.Tag.Get("example"), ways: ways, alias: sf.Tag.Get("alias")})
	}
}

func (fs *fields) append(f field) {
	if _, twice := fs.byName[f.name]; twice && fs.err == nil {
		fs.err = fmt.Errorf("the name %q is used twice", f.name)
	}
	fs.byName[f.name] = len(fs.list)
	fs.names = append(fs.names, f.name)
	fs.list = append(fs.list, f)
}

func (fs *fields) named(name string) *field {
	i, ok := fs.byName[name]
	if !ok {
		return nil
	}
	return &fs.list[i]
}

// identifies reports whether the rule key, if there is one, names a field of the elements of a list.
func (r rules) identifies(list Type) bool {
	return r.key == "" || list.shape() == listShape && list.elem().shape() == structShape && list.elem().fields().named(r.key) != nil
}

// shape is the form of a Go type in a document.
type shape int

const (
	unsupported shape = iota
	anything          // any, json.RawMessage
	jsonText          // a type that reads its own JSON
	textual           // a string that the type parses itself
	stringShape
	boolShape
	intShape
	uintShape
	floatShape
	bytesShape // a base64 string
	listShape
	mapShape
	structShape
)

var (
	rawMessageType      = reflect.TypeFor[json.RawMessage]()
	jsonUnmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// shapeOf returns the shape of a type. It follows pointers.
func shapeOf(t reflect.Type) shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == rawMessageType:
		return anything
	case reflect.PointerTo(t).Implements(jsonUnmarshalerType):
		return jsonText
	case reflect.PointerTo(t).Implements(textUnmarshalerType):
		return textual
	}
	switch t.Kind() {
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return anything
		}
	case reflect.String:
		return stringShape
	case reflect.Bool:
		return boolShape
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return intShape
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return uintShape
	case reflect.Float32, reflect.Float64:
		return floatShape
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return bytesShape
		}
		if shapeOf(t.Elem()) != unsupported {
			return listShape
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && shapeOf(t.Elem()) != unsupported {
			return mapShape
		}
	case reflect.Struct:
		return structShape
	}
	return unsupported
}
