package manifest

import (
	"fmt"
	"reflect"
)

// Type is what a document, or a field of one, can hold. There are those of Go's types, with the rules in struct tags, and
// those that are put together while the program runs. Go keeps each of its types for ever, so a type whose names come from
// a repository is of the second sort: it is a value, and goes when nothing refers to it. Types are compared with ==; the
// zero value is no type.
type Type struct {
	of   reflect.Type // no pointer; nil for what is put together
	made *madeType
}

// madeType is a type that is put together.
type madeType struct {
	shape  shape
	elem   Type // of a list or map
	fields *fields
}

// Fields are the values of a structure that is put together, by the names of its fields, without those that a document
// leaves out. In it a list is a []any, a map a map[string]any, and everything else as its own type has it.
type Fields map[string]any

// Field is one field of a structure that is put together.
type Field struct {
	Name, Doc string
	Rules     []string // each as a tag has it: "min=1"
	Type      Type
	// Present says that the field, a structure, is there without fields where a document leaves it out.
	Present bool
}

// TypeOf is the type of a Go type, or of what it points to.
func TypeOf(t reflect.Type) Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return Type{of: t}
}

// TypeFor is that of T.
func TypeFor[T any]() Type { return TypeOf(reflect.TypeFor[T]()) }

// ListOf is a list that is put together.
func ListOf(elem Type) Type { return Type{made: &madeType{shape: listShape, elem: elem}} }

// MapOf is a mapping from texts that is put together.
func MapOf(elem Type) Type { return Type{made: &madeType{shape: mapShape, elem: elem}} }

// Structure puts a structure together.
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

// Go is the Go type; nil for one that is put together, and for none.
func (t Type) Go() reflect.Type { return t.of }

// Is reports whether there is a type.
func (t Type) Is() bool { return t != Type{} }

// String is what messages to programmers call the type.
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

// elem is the type of what a list or map holds.
func (t Type) elem() Type {
	if t.made != nil {
		return t.made.elem
	}
	return TypeOf(t.of.Elem())
}

// fields are those of a structure.
func (t Type) fields() *fields {
	if t.made != nil {
		return t.made.fields
	}
	return fieldsOf(t.of)
}

// value is a new one of the type, to be read into.
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

// Words yields what documents of the type call things: the names of fields, and the values of those that take certain ones
// only.
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
