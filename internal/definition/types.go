package definition

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
)

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
