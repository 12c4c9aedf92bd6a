package manifest

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

// HasField reports whether documents of a type can have a field at a path such as
// spec.resource.rules[2].protocol; an index may be left out.
func HasField(body reflect.Type, path string) bool {
	steps := splitPath(path)
	for _, step := range steps {
		if body = step.inType(body); body == nil {
			return false
		}
	}
	return len(steps) > 0
}

// FieldsNamed are the paths of all fields of a name, without indexes, those nearest to the top first.
func FieldsNamed(body reflect.Type, name string) (paths []string) {
	type place struct {
		at string
		t  reflect.Type
	}
	for open := []place{{"", body}}; len(open) > 0; open = open[1:] {
		for _, f := range fieldsOf(open[0].t).list {
			path := strings.TrimPrefix(open[0].at+"."+f.name, ".")
			if f.name == name {
				paths = append(paths, path)
			}
			if below := structBelow(f.typ); below != nil {
				open = append(open, place{path, below})
			}
		}
	}
	return paths
}

// inType is the type of the step's value inside one of t; nil when there is no such field.
func (s pathStep) inType(t reflect.Type) reflect.Type {
	t = pointee(t)
	for shapeOf(t) == listShape && !s.index() {
		t = pointee(t.Elem())
	}
	switch shapeOf(t) {
	case anything:
		return t // whatever is in it
	case listShape, mapShape:
		return t.Elem()
	case structShape:
		if f := fieldsOf(t).named(s.name); f != nil {
			return f.typ
		}
	}
	return nil
}

// index reports whether the step is an item of a list.
func (s pathStep) index() bool {
	_, err := strconv.Atoi(s.name)
	return s.brackets && err == nil
}

func pointee(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// FieldPaths lists the paths of all fields that documents of a type can have, those of lists without an index, in the
// order of the structs.
func FieldPaths(body reflect.Type) []string {
	var paths []string
	var walk func(t reflect.Type, path string, within []reflect.Type)
	walk = func(t reflect.Type, path string, within []reflect.Type) {
		for t = pointee(t); shapeOf(t) == listShape || shapeOf(t) == mapShape; {
			t = pointee(t.Elem())
		}
		if shapeOf(t) != structShape || slices.Contains(within, t) {
			return // a type within itself has been listed
		}
		for _, f := range fieldsOf(t).list {
			below := strings.TrimPrefix(path+"."+f.name, ".")
			paths = append(paths, below)
			walk(f.typ, below, append(slices.Clip(within), t))
		}
	}
	walk(body, "", nil)
	return paths
}

// NearestPath is the path that a person most likely meant: one that is spelt alike, or that ends as path does; "" when
// there is none.
func NearestPath(path string, paths []string) string {
	if near := nearest.Name(path, paths); near != "" {
		return near
	}
	last := path[strings.LastIndexByte(path, '.')+1:]
	ends := make([]string, len(paths))
	for i, p := range paths {
		ends[i] = p[strings.LastIndexByte(p, '.')+1:]
	}
	if end := nearest.Name(last, ends); end != "" {
		return paths[slices.Index(ends, end)]
	}
	return ""
}
