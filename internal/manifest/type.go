package manifest

import (
	"fmt"
	"reflect"
)

// Type is the type of a document or of a field. It is either a Go type with the rules in struct tags, or a type that is
// built at run time. Go never frees the memory of its types. So a type whose names come from a repository is built at run
// time: it is a value, and is freed when nothing refers to it. Types are compared with ==. The zero value means that there
// is no type.
type Type struct {
	of   reflect.Type // no pointer; nil for a type that is built at run time
	made *madeType
}

// madeType is a type that is built at run time.
type madeType struct {
	shape  shape
	elem   Type // the type of the elements of a list or map
	fields *fields
}

// Fields are the values of a structure that is built at run time, by field name. Fields that are not in the document are
// missing. A list is a []any, a map is a map[string]any, and other values have the Go type of the field.
type Fields map[string]any

// Field is one field of a structure that is built at run time.
type Field struct {
	Name, Doc string
	Rules     []string // the rules in the form of a tag, such as "min=1"
	Type      Type
	// Present is set for a structure that also exists if the document does not contain it. Then it has no fields.
	Present bool
}

// TypeOf returns the Type of a Go type. For a pointer, it is the type that the pointer points to.
func TypeOf(t reflect.Type) Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return Type{of: t}
}

// TypeFor returns the Type of T.
func TypeFor[T any]() Type { return TypeOf(reflect.TypeFor[T]()) }

// ListOf returns a list type that is built at run time.
func ListOf(elem Type) Type { return Type{made: &madeType{shape: listShape, elem: elem}} }

// MapOf returns the type of a mapping from strings that is built at run time.
func MapOf(elem Type) Type { return Type{made: &madeType{shape: mapShape, elem: elem}} }

// Structure builds a structure from its fields.
func Structure(list []Field) (Type, error) {
	fs := &fields{byName: make(map[string]int, len(list))}
	for _, from := range list {
		f := field{name: from.Name, doc: from.Doc, typ: from.Type, present: from.Present}
		for _, rule := range from.Rules {
			if err := f.rules.add(rule); err != nil {
				return Type{}, fmt.Errorf("field %s: rule %q: %w", f.name, rule, err)
			}
		}
		if fs.append(f); fs.err != nil {
			return Type{}, fs.err
		}
	}
	return Type{made: &madeType{shape: structShape, fields: fs}}, nil
}

// Go returns the Go type. It returns nil for a type that is built at run time, and for the zero Type.
func (t Type) Go() reflect.Type { return t.of }

// Is reports whether t is not the zero Type.
func (t Type) Is() bool { return t != Type{} }

// String returns the name of the type for messages to programmers.
func (t Type) String() string {
	if t.of != nil {
		return t.of.String()
	}
	return "of a document"
}

func (t Type) shape() shape {
	switch {
	case t.made != nil:
		return t.made.shape
	case t.of == nil:
		return unsupported
	}
	return shapeOf(t.of)
}

// elem returns the type of the elements of a list or map.
func (t Type) elem() Type {
	if t.made != nil {
		return t.made.elem
	}
	return TypeOf(t.of.Elem())
}

// fields returns the fields of a structure.
func (t Type) fields() *fields {
	if t.made != nil {
		return t.made.fields
	}
	return fieldsOf(t.of)
}

// value returns a new value of the type to decode into.
func (t Type) value() reflect.Value {
	of := t.of
	if t.made != nil {
		switch t.made.shape {
		case listShape:
			of = reflect.TypeFor[[]any]()
		case mapShape:
			of = reflect.TypeFor[map[string]any]()
		default:
			of = reflect.TypeFor[Fields]()
		}
	}
	return reflect.New(of).Elem()
}

// Words yields the words that documents of the type can contain: the names of fields, and the values of fields with an
// enumeration.
func (t Type) Words(yield func(word string) bool) {
	open, seen := []Type{t}, map[Type]bool{}
	for ; len(open) > 0; open = open[1:] {
		here := open[0]
		for here.shape() == listShape || here.shape() == mapShape {
			here = here.elem()
		}
		if here.shape() != structShape || seen[here] {
			continue
		}
		seen[here] = true
		for _, f := range here.fields().list {
			if !yield(f.name) {
				return
			}
			for _, value := range f.rules.enum {
				if !yield(value) {
					return
				}
			}
			open = append(open, f.typ)
		}
	}
}
