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

// Whole is the field that a path leads into although it is compared with the cloud, and written, as one value; "" where there
// is none. An element that is an object of the cloud is a value of its own, by its ID.
func Whole(body Type, path string) string {
	if Element(body, path) != "" {
		return ""
	}
	steps := splitPath(path)
	for i, step := range steps[:max(len(steps)-1, 0)] {
		if step.whole(body) {
			return joinPath(steps[:i+1])
		}
		if body = step.inType(body); !body.Is() {
			break
		}
	}
	return ""
}

// Element is a path, without the places in lists on the way, of an element that is an object of the cloud and named by its ID; "" for
// another path.
func Element(body Type, path string) string {
	steps := splitPath(path)
	var way []pathStep
	objects := false
	for i, step := range steps {
		if objects && step.brackets && !step.index() {
			if step.name == "" || i < len(steps)-1 {
				return ""
			}
			return joinPath(append(way, step))
		}
		if !step.index() {
			way = append(way, step)
		}
		objects = step.objects(body)
		if body = step.inType(body); !body.Is() {
			return ""
		}
	}
	return ""
}

func joinPath(steps []pathStep) string {
	var b strings.Builder
	for i, s := range steps {
		switch {
		case s.brackets:
			b.WriteString("[" + s.name + "]")
		case i > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}

// whole reports whether the step is a value inside t that is compared as one.
func (s pathStep) whole(t Type) bool {
	f := s.field(t)
	if f == nil || s.brackets {
		return false
	}
	switch f.typ.shape() {
	case listShape:
		return !f.rules.apart
	case mapShape:
		return true
	}
	return f.rules.whole
}

// objects reports whether the step is a list of objects of the cloud inside t.
func (s pathStep) objects(t Type) bool {
	f := s.field(t)
	return f != nil && f.rules.objects
}

// field is the step's field inside t; nil where it is none.
func (s pathStep) field(t Type) *field {
	for t.shape() == listShape {
		t = t.elem()
	}
	if t.shape() != structShape {
		return nil
	}
	return t.fields().named(s.name)
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
