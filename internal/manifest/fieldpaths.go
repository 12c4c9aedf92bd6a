package manifest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

// HasField reports whether documents of a type can have a field at a path such as
// spec.resource.rules[2].protocol; an index may be left out. An element of a list of objects of the cloud may be named
// by its ID, as a whole.
func HasField(body Type, path string) bool {
	steps := splitPath(path)
	objects := false
	for i, step := range steps {
		if objects && step.brackets && !step.index() {
			return step.name != "" && i == len(steps)-1
		}
		objects = step.objects(body)
		if body = step.inType(body); !body.Is() {
			return false
		}
	}
	return len(steps) > 0
}

// objects reports whether the step is a list of objects of the cloud inside t.
func (s pathStep) objects(t Type) bool {
	for t.shape() == listShape {
		t = t.elem()
	}
	if t.shape() != structShape {
		return false
	}
	f := t.fields().named(s.name)
	return f != nil && f.rules.objects
}

// FieldsNamed are the paths of all fields of a name, without indexes, those nearest to the top first.
func FieldsNamed(body Type, name string) (paths []string) {
	type place struct {
		at string
		t  Type
	}
	for open := []place{{"", body}}; len(open) > 0; open = open[1:] {
		for _, f := range open[0].t.fields().list {
			path := strings.TrimPrefix(open[0].at+"."+f.name, ".")
			if f.name == name {
				paths = append(paths, path)
			}
			if below := structBelow(f.typ); below.Is() {
				open = append(open, place{path, below})
			}
		}
	}
	return paths
}

// inType is the type of the step's value inside one of t; no type when there is no such field.
func (s pathStep) inType(t Type) Type {
	for t.shape() == listShape && !s.index() {
		t = t.elem()
	}
	switch t.shape() {
	case anything:
		return t // whatever is in it
	case listShape, mapShape:
		return t.elem()
	case structShape:
		if f := t.fields().named(s.name); f != nil {
			return f.typ
		}
	}
	return Type{}
}

// index reports whether the step is an item of a list.
func (s pathStep) index() bool {
	_, err := strconv.Atoi(s.name)
	return s.brackets && err == nil
}

// FieldPaths lists the paths of all fields that documents of a type can have, those of lists without an index, in the
// order of the structs.
func FieldPaths(body Type) []string {
	var paths []string
	var walk func(t Type, path string, within []Type)
	walk = func(t Type, path string, within []Type) {
		for t.shape() == listShape || t.shape() == mapShape {
			t = t.elem()
		}
		if t.shape() != structShape || slices.Contains(within, t) {
			return // a type within itself has been listed
		}
		for _, f := range t.fields().list {
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
