package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// SimpleSchema describes the values of a field in one line:
//
//	replicas: integer | default=2 minimum=1 maximum=9 description="how many"
//	ports: "[]integer"
//	owner: {name: string | required=true}
//
// (kubernetes-sigs/kro website/docs/docs/concepts/rgd/01-schema.md)

// These are the paths of schemas in a definition.
const (
	specPath  = "spec.schema.spec"
	typesPath = "spec.schema.types"
)

// These limits apply to a schema.
const (
	maxNesting = 20
	maxDoc     = 500     // bytes of a description
	maxPattern = 200     // bytes of a regular expression
	maxMatched = 4 << 10 // characters that a regular expression is compared with
)

// field is a field of a struct.
type field struct {
	name    string
	typ     *shape
	present bool // see [manifest.Field]
	markers
}

// shape is a type of values.
type shape struct {
	what   string // string, integer, boolean, float, object, list, map, struct
	elem   *shape // the type of the elements of a list or map
	fields []*field
	name   string // the name of a struct in CEL
}

// fieldName matches those names of fields that expressions can use.
var fieldName = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// reader reads the schema of one definition.
type reader struct {
	types   map[string]any
	open    []string // the custom types that contain the current one
	total   *total
	problem func(path, what, fix string)
}

func (r *reader) structure(path, name string, from any, depth int) *shape {
	s := &shape{what: "struct", name: name}
	tree, ok := from.(map[string]any)
	if !ok {
		r.problem(path, "must be a mapping of fields", "")
		return s
	}
	if depth > maxNesting {
		r.problem(path, fmt.Sprintf("is nested deeper than %d", maxNesting), "flatten it")
		return s
	}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		at := path + "." + key
		line, _ := tree[key].(string)
		r.total.fields++
		if r.total.text += len(key) + len(line); r.total.fields > maxFields || r.total.text > maxText {
			r.problem(path, fmt.Sprintf("exceeds the limit of %d fields, or %d KiB, for the schemas of all definitions together", maxFields, maxText>>10), "leave some out")
			return s
		}
		if !fieldName.MatchString(key) {
			r.problem(path+"["+key+"]", "is not a valid name of a field", "use letters, digits and _, and begin with a letter")
			continue
		}
		f := &field{name: key}
		switch v := tree[key].(type) {
		case string:
			f.typ = r.line(at, name+"."+key, v, f, depth)
		case map[string]any:
			f.typ = r.structure(at, name+"."+key, v, depth+1)
		default:
			r.problem(at, "must be a type such as string, or a mapping of fields", "")
		}
		if f.typ != nil {
			s.fields = append(s.fields, f)
		}
	}
	return s
}

// line parses a type and its markers.
func (r *reader) line(path, name, text string, f *field, depth int) *shape {
	typ, rest, _ := strings.Cut(text, "|")
	s := r.typeOf(path, name, strings.TrimSpace(typ), depth)
	if s == nil {
		return nil
	}
	said, err := splitMarkers(rest)
	if err != nil {
		r.problem(path, err.Error(), `write markers as name=value, texts in quotes: string | default="a" description="…"`)
	}
	for _, m := range said {
		if err := f.add(s, m.name, m.value); err != nil {
			r.problem(path, fmt.Sprintf("%s=%s: %s", m.name, clip(m.value), err), "")
		}
	}
	for _, p := range f.settle(s) {
		r.problem(path, p.Field+": "+p.What, p.Fix)
	}
	return s
}

var basicTypes = []string{"string", "integer", "boolean", "float", "object"}

func (r *reader) typeOf(path, name, text string, depth int) *shape {
	if depth > maxNesting {
		r.problem(path, fmt.Sprintf("is nested deeper than %d", maxNesting), "flatten it")
		return nil
	}
	if slices.Contains(basicTypes, text) {
		return &shape{what: text}
	}
	if elem, ok := strings.CutPrefix(text, "[]"); ok {
		return r.of("list", path, name, elem, depth)
	}
	if elem, ok := strings.CutPrefix(text, "map[string]"); ok {
		return r.of("map", path, name, elem, depth)
	}
	custom, ok := r.types[text]
	switch {
	case !ok:
		fix := "use one of " + strings.Join(basicTypes, ", ") + ", []TYPE, map[string]TYPE or a name in schema.types"
		if near := nearest.Name(text, slices.Concat(basicTypes, slices.Collect(maps.Keys(r.types)))); near != "" {
			fix = "did you mean " + near + "?"
		}
		r.problem(path, fmt.Sprintf("has the unknown type %q", clip(text)), fix)
		return nil
	case slices.Contains(r.open, text):
		r.problem(path, "contains itself: "+strings.Join(append(slices.Clone(r.open), text), " -> "), "leave out one of the fields")
		return nil
	}
	r.open = append(r.open, text)
	defer func() { r.open = r.open[:len(r.open)-1] }()
	return r.structure(typesPath+"."+text, name, custom, depth+1)
}

func (r *reader) of(what, path, name, elem string, depth int) *shape {
	below := r.typeOf(path, name+".item", elem, depth+1)
	if below == nil {
		return nil
	}
	return &shape{what: what, elem: below}
}
