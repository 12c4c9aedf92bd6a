package manifest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

// HasField reports whether documents of a type can have a field at a path such as spec.resource.rules[2].protocol. An
// index may be left out. In a list of objects of the cloud, an ID in brackets means an element as a whole.
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

// Whole returns the path of the field above path that is compared with the cloud, and written, as one value. It returns ""
// if there is no such field. An element that is an object of the cloud, with its ID in the path, is a separate value.
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

// Element returns the path of an element that is an object of the cloud, if path contains its ID. Indexes are left out of
// the result. For any other path, it returns "".
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

// whole reports whether the value of the step in t is compared as one value.
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

// objects reports whether this element of a path is a list of objects of the cloud in t.
func (s pathStep) objects(t Type) bool {
	f := s.field(t)
	return f != nil && f.rules.objects
}

// field returns the field of t that this element of a path names, or nil if there is none.
func (s pathStep) field(t Type) *field {
	for t.shape() == listShape {
		t = t.elem()
	}
	if t.shape() != structShape {
		return nil
	}
	return t.fields().named(s.name)
}

// FieldsNamed returns the paths of all fields with a name, without indexes. The paths with the fewest parts come first.
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

// inType returns the type of the value of the step in t, or the zero Type if there is no such field.
func (s pathStep) inType(t Type) Type {
	for t.shape() == listShape && !s.index() {
		t = t.elem()
	}
	switch t.shape() {
	case anything:
		return t // a free value may contain any field
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

// FieldPaths returns the paths of all fields that documents of a type can have, in the order of the structs. The paths
// contain no indexes.
func FieldPaths(body Type) []string {
	var paths []string
	var walk func(t Type, path string, within []Type)
	walk = func(t Type, path string, within []Type) {
		for t.shape() == listShape || t.shape() == mapShape {
			t = t.elem()
		}
		if t.shape() != structShape || slices.Contains(within, t) {
			return // the fields of a type that contains itself are already listed
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

// NearestPath returns that one of paths which a person most likely meant by path. Its spelling is similar to that of path, or
// else its last name is similar to the last name of path. NearestPath returns "" if there is none.
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
