package definition

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

// SimpleSchema says in a line what a field may hold:
//
//	replicas: integer | default=2 minimum=1 maximum=9 description="how many"
//	ports: "[]integer"
//	owner: {name: string | required=true}
//
// (kubernetes-sigs/kro website/docs/docs/concepts/rgd/01-schema.md)

// Where a definition has them.
const (
	specPath  = "spec.schema.spec"
	typesPath = "spec.schema.types"
)

// Bounds of a schema.
const (
	mostNesting = 20
	mostDoc     = 500     // bytes of a description
	mostPattern = 200     // of a regular expression
	mostMatched = 4 << 10 // characters that are compared with one
)

// field is a field of a struct.
type field struct {
	name string
	typ  *shape
	markers
}

// shape is a type of values.
type shape struct {
	what   string // string, integer, boolean, float, object, list, map, struct
	elem   *shape // of a list or map
	fields []*field
	name   string // of a struct, for CEL
}

// markers are what follows the type.
type markers struct {
	required, immutable bool
	fallback            any // what is taken for an absent value; nil for none
	doc                 string
	rules               []string
}

// fieldName is what can be a field's name: expressions must be able to say it.
var fieldName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// reader reads the schema of one definition.
type reader struct {
	types   map[string]any
	open    []string // custom types that are being read
	total   *total
	problem func(path, what, fix string)
}

func (r *reader) structure(path, name string, from any, depth int) *shape {
	s := &shape{what: "struct", name: name}
	tree, ok := from.(map[string]any)
	if !ok {
		r.problem(path, "wants a mapping of fields", "")
		return s
	}
	if depth > mostNesting {
		r.problem(path, fmt.Sprintf("is nested deeper than %d", mostNesting), "flatten it")
		return s
	}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		at := path + "." + key
		line, _ := tree[key].(string)
		r.total.fields++
		if r.total.text += len(key) + len(line); r.total.fields > mostFields || r.total.text > mostText {
			r.problem(path, fmt.Sprintf("is beyond the first %d fields, or %d KiB, in the schemas of all definitions together", mostFields, mostText>>10), "leave some out")
			return s
		}
		if !fieldName.MatchString(key) {
			r.problem(path+"["+key+"]", "is no name of a field", "use letters, digits and _ , and no digit first")
			continue
		}
		f := &field{name: key}
		switch v := tree[key].(type) {
		case string:
			f.typ = r.line(at, name+"."+key, v, f, depth)
		case map[string]any:
			f.typ = r.structure(at, name+"."+key, v, depth+1)
		default:
			r.problem(at, "wants a type such as string, or a mapping of fields", "")
		}
		if f.typ != nil {
			s.fields = append(s.fields, f)
		}
	}
	return s
}

// line reads a type with its markers.
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
	return s
}

var basicTypes = []string{"string", "integer", "boolean", "float", "object"}

func (r *reader) typeOf(path, name, text string, depth int) *shape {
	if depth > mostNesting {
		r.problem(path, fmt.Sprintf("is nested deeper than %d", mostNesting), "flatten it")
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

type marker struct{ name, value string }

var markerName = regexp.MustCompile(`^\s*([A-Za-z]+)=`)

// splitMarkers reads name=value pairs; values may be quoted, or in brackets.
func splitMarkers(text string) (list []marker, err error) {
	for strings.TrimSpace(text) != "" {
		m := markerName.FindStringSubmatch(text)
		if m == nil {
			return list, fmt.Errorf("%q is no marker", clip(strings.TrimSpace(text)))
		}
		text = text[len(m[0]):]
		if text != "" && text[0] == '"' {
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return list, fmt.Errorf("the quote of %s has no end", m[1])
			}
			value, _ := strconv.Unquote(quoted)
			list, text = append(list, marker{m[1], value}), text[len(quoted):]
			continue
		}
		end := strings.IndexAny(text, " \t\n")
		if text != "" && (text[0] == '[' || text[0] == '{') {
			closing := strings.LastIndexAny(text, "]}")
			if end = closing + 1; closing < 0 {
				return list, fmt.Errorf("the bracket of %s has no end", m[1])
			}
		}
		if end < 0 {
			end = len(text)
		}
		list, text = append(list, marker{m[1], text[:end]}), text[end:]
	}
	return list, nil
}

// add takes a marker.
func (f *field) add(s *shape, name, value string) (err error) {
	number := s.what == "integer" || s.what == "float"
	switch name {
	case "required", "immutable", "uniqueItems":
		var on bool
		if on, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("is not true or false")
		}
		switch {
		case name == "required":
			f.required = on
		case name == "immutable":
			f.immutable = on
		case s.what != "list":
			return misplaced("a list", s)
		case on:
			f.rules = append(f.rules, "unique")
		}
	case "description":
		if f.doc = value; len(value) > mostDoc {
			return fmt.Errorf("is longer than %d bytes", mostDoc)
		}
	case "default":
		f.fallback, err = s.parse(value)
	case "enum":
		if s.what != "string" && s.what != "integer" {
			return misplaced("a string or an integer", s)
		}
		return f.enum(s, value)
	case "minimum", "maximum":
		if !number {
			return misplaced("a number", s)
		}
		return f.bound(name[:3], value)
	case "minLength", "maxLength":
		if s.what != "string" {
			return misplaced("a string", s)
		}
		return f.bound(name[:3], value)
	case "minItems", "maxItems":
		if s.what != "list" && s.what != "map" {
			return misplaced("a list", s)
		}
		return f.bound(name[:3], value)
	case "pattern":
		if s.what != "string" {
			return misplaced("a string", s)
		}
		if len(value) > mostPattern {
			return fmt.Errorf("is longer than %d bytes", mostPattern)
		}
		if _, err := regexp.Compile(value); err != nil {
			return err
		}
		f.rules = append(f.rules, "pattern="+value)
	default:
		names := []string{"required", "default", "description", "immutable", "enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems"}
		if near := nearest.Name(name, names); near != "" {
			return fmt.Errorf("is an unknown marker; did you mean %s?", near)
		}
		return fmt.Errorf("is an unknown marker; there are %s", strings.Join(names, ", "))
	}
	return err
}

func misplaced(wanted string, s *shape) error {
	return fmt.Errorf("is for %s, not for %s", wanted, s.words())
}

func (f *field) enum(s *shape, value string) error {
	values := strings.Split(value, ",")
	for i, v := range values {
		if values[i] = strings.TrimSpace(v); values[i] == "" || strings.ContainsAny(values[i], "|") {
			return fmt.Errorf("has a value that is empty or holds |")
		}
		if s.what == "integer" {
			if _, err := strconv.ParseInt(values[i], 10, 64); err != nil {
				return fmt.Errorf("%s is no integer", clip(values[i]))
			}
		}
	}
	f.rules = append(f.rules, "enum="+strings.Join(values, "|"))
	return nil
}

func (f *field) bound(rule, value string) error {
	if n, err := strconv.ParseFloat(value, 64); err != nil || n != n {
		return fmt.Errorf("is no number")
	}
	f.rules = append(f.rules, rule+"="+value)
	return nil
}

// words is what people call the type.
func (s *shape) words() string {
	switch s.what {
	case "list":
		return "[]" + s.elem.words()
	case "map":
		return "map[string]" + s.elem.words()
	case "struct":
		return "an object with fields"
	}
	return s.what
}

// celType is the type as expressions see it.
func (s *shape) celType() *cel.Type {
	switch s.what {
	case "string":
		return cel.StringType
	case "integer":
		return cel.IntType
	case "boolean":
		return cel.BoolType
	case "float":
		return cel.DoubleType
	case "list":
		return cel.ListType(s.elem.celType())
	case "map":
		return cel.MapType(cel.StringType, s.elem.celType())
	case "struct":
		return cel.ObjectType(s.name)
	}
	return cel.DynType
}

// goType is the type as manifests are read into it. Absent values are nil.
func (s *shape) goType() reflect.Type {
	switch s.what {
	case "string":
		return reflect.TypeFor[*string]()
	case "integer":
		return reflect.TypeFor[*int64]()
	case "boolean":
		return reflect.TypeFor[*bool]()
	case "float":
		return reflect.TypeFor[*float64]()
	case "list":
		return reflect.SliceOf(s.elem.element())
	case "map":
		return reflect.MapOf(reflect.TypeFor[string](), s.elem.element())
	case "struct":
		return reflect.PointerTo(s.goStruct())
	}
	return reflect.TypeFor[any]()
}

// element is goType within a list or map, where nothing is absent.
func (s *shape) element() reflect.Type {
	if t := s.goType(); t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return s.goType()
}

func (s *shape) goStruct() reflect.Type {
	fields := make([]reflect.StructField, len(s.fields))
	for i, f := range s.fields {
		fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: f.typ.goType(), Tag: f.tag()}
	}
	return reflect.StructOf(fields)
}

// tag is what the field's declaration would say.
func (f *field) tag() reflect.StructTag {
	rules, last := []string{}, []string{}
	if f.required && f.fallback == nil {
		rules = append(rules, "required")
	}
	if f.immutable {
		rules = append(rules, "immutable")
	}
	hasMax := false
	for _, rule := range f.rules {
		hasMax = hasMax || strings.HasPrefix(rule, "max=")
		if strings.HasPrefix(rule, "pattern=") { // takes the rest of the tag
			last = append(last, rule)
			continue
		}
		rules = append(rules, rule)
	}
	if len(last) > 0 && !hasMax {
		rules = append(rules, "max="+strconv.Itoa(mostMatched))
	}
	if text := shown(f.fallback); text != "" && !strings.Contains(text, ",") {
		rules = append(rules, "default="+text)
	}
	tag := `json:` + strconv.Quote(f.name+",omitempty")
	if rules = append(rules, last...); len(rules) > 0 {
		tag += ` rule:` + strconv.Quote(strings.Join(rules, ","))
	}
	if f.doc != "" {
		tag += ` doc:` + strconv.Quote(f.doc)
	}
	return reflect.StructTag(tag)
}

func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string, int64, bool, float64:
		return fmt.Sprint(v)
	}
	return ""
}

// clip keeps messages short.
func clip(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
