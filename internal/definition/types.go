package definition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// words returns the name of the type for people.
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

// celType returns the type that expressions see.
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

// readAs returns the type with which manifests are read.
func (s *shape) readAs() (manifest.Type, error) {
	switch s.what {
	case "string":
		return manifest.TypeFor[string](), nil
	case "integer":
		return manifest.TypeFor[int64](), nil
	case "boolean":
		return manifest.TypeFor[bool](), nil
	case "float":
		return manifest.TypeFor[float64](), nil
	case "list":
		elem, err := s.elem.readAs()
		return manifest.ListOf(elem), err
	case "map":
		elem, err := s.elem.readAs()
		return manifest.MapOf(elem), err
	case "struct":
		return structure(s.fields...)
	}
	return manifest.TypeFor[any](), nil
}

func structure(list ...*field) (manifest.Type, error) {
	fields := make([]manifest.Field, len(list))
	for i, f := range list {
		t, err := f.typ.readAs()
		if err != nil {
			return manifest.Type{}, err
		}
		fields[i] = manifest.Field{Name: f.name, Doc: f.doc, Rules: f.declared(), Type: t, Present: f.present}
	}
	return manifest.Structure(fields)
}

// declared returns the rules that the field would have in a Go struct tag.
func (f *field) declared() []string {
	rules := []string{"raw"} // the made object is checked as if it had its own manifest
	if f.required && f.fallback == nil {
		rules = append(rules, "required")
	}
	if f.immutable {
		rules = append(rules, "immutable")
	}
	rules = append(rules, f.rules...)
	has := func(name string) bool {
		return slices.ContainsFunc(f.rules, func(rule string) bool { return strings.HasPrefix(rule, name+"=") })
	}
	if has("pattern") && !has("max") {
		rules = append(rules, "max="+strconv.Itoa(maxMatched))
	}
	if text := shown(f.fallback); text != "" {
		rules = append(rules, "default="+text)
	}
	return rules
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
func clip(text string) string { return printable.Clip(text, 80) }
