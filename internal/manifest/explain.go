package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Explain describes a field and the fields below it. The argument at is the path of the field without indexes, such as
// spec.resource.rules. The empty path means the whole document.
func Explain(body Type, at string) (string, error) {
	here := field{typ: body}
	for i, step := range splitPath(at) {
		t := structBelow(here.typ)
		if !t.Is() {
			return "", fmt.Errorf("%s has no fields", pathUpTo(at, i))
		}
		known := t.fields()
		next := known.named(step.name)
		if next == nil && i == 0 {
			next = frameFields().named(step.name)
		}
		if next == nil {
			return "", fmt.Errorf("%s has no field %s; %s", pathUpTo(at, i), step.name, didYouMean(step.name, known.names))
		}
		here = *next
	}
	var out strings.Builder
	if at != "" {
		fmt.Fprintf(&out, "FIELD: %s <%s>\n", at, typeName(here.typ))
		writeRules(&out, here, "  ")
		out.WriteString("\n")
	}
	if here.doc != "" {
		fmt.Fprintf(&out, "DESCRIPTION:\n%s\n", wrap(here.doc, "  "))
	}
	t := structBelow(here.typ)
	if !t.Is() {
		return strings.TrimRight(out.String(), "\n") + "\n", nil
	}
	known := t.fields()
	if known.err != nil {
		return "", known.err
	}
	out.WriteString("FIELDS:\n")
	if at == "" {
		writeFields(&out, frameFields().list)
	}
	writeFields(&out, known.list)
	return strings.TrimRight(out.String(), "\n") + "\n", nil
}

// frame contains the fields that every document has in addition to its body.
type frame struct {
	APIVersion string   `json:"apiVersion" rule:"required" doc:"The group and version of the kind."`
	Kind       string   `json:"kind" rule:"required" doc:"The kind of the object."`
	Metadata   metadata `json:"metadata" rule:"required" doc:"Names the object."`
}

func frameFields() *fields { return fieldsOf(reflect.TypeFor[frame]()) }

func writeFields(out *strings.Builder, list []field) {
	for _, f := range list {
		fmt.Fprintf(out, "  %s <%s>%s\n", f.name, typeName(f.typ), requiredMark(f))
		writeRules(out, f, "    ")
		if f.doc != "" {
			out.WriteString(wrap(f.doc, "    "))
		}
		out.WriteString("\n")
	}
}

func pathUpTo(at string, steps int) string {
	var names []string
	for _, s := range splitPath(at)[:steps] {
		names = append(names, s.name)
	}
	if names == nil {
		return "the document"
	}
	return strings.Join(names, ".")
}

// structBelow returns the type of the struct in a field, in the elements of a list or in the values of a map. It returns
// the zero Type if there is no struct.
func structBelow(t Type) Type {
	for {
		switch t.shape() {
		case structShape:
			return t
		case listShape, mapShape:
			t = t.elem()
		default:
			return Type{}
		}
	}
}

// typeName names the type as kubectl explain does.
func typeName(t Type) string {
	if t == TypeFor[IntOrString]() {
		return "integer or string"
	}
	if t == TypeFor[Decimal]() {
		return "number or string"
	}
	switch t.shape() {
	case stringShape, textual:
		return "string"
	case boolShape:
		return "boolean"
	case intShape, uintShape:
		return "integer"
	case floatShape:
		return "number"
	case bytesShape:
		return "base64 string"
	case listShape:
		return "[]" + typeName(t.elem())
	case mapShape:
		return "map[string]" + typeName(t.elem())
	case structShape:
		return "Object"
	}
	return "any"
}

func requiredMark(f field) string {
	if f.rules.required {
		return " -required-"
	}
	return ""
}

func writeRules(out *strings.Builder, f field, indent string) {
	if said := f.said(); said != "" {
		fmt.Fprintf(out, "%s%s\n", indent, said)
	}
}

// said returns a description of the field's rules and ways.
func (f field) said() string {
	words := []string{f.rules.said(unitOf(f.typ)), f.waysSaid()}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "; ")
}

func unitOf(t Type) string {
	switch t.shape() {
	case stringShape, textual, bytesShape:
		return "characters"
	case listShape:
		return "elements"
	case mapShape:
		return "entries"
	case structShape:
		return "fields"
	}
	return ""
}

// wrap breaks text into lines of at most 80 columns.
func wrap(text, indent string) string {
	var out strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+len(word) > 80 {
			out.WriteString("\n")
			column = 0
		}
		if column == 0 {
			out.WriteString(indent)
			column = len(indent)
		} else {
			out.WriteString(" ")
			column++
		}
		out.WriteString(word)
		column += len(word)
	}
	out.WriteString("\n")
	return out.String()
}
