package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// Outline lists every field of a kind, indented by depth, each with its type, its rules and the first sentence of its
// description.
func Outline(body Type) (string, error) {
	o := outline{}
	o.fields(TypeFor[frame](), "  ")
	o.fields(body, "  ")
	return o.out.String(), o.err
}

type outline struct {
	out  strings.Builder
	open []Type // the types that contain the current field, to refuse types that contain themselves
	err  error
}

func (o *outline) fields(t Type, indent string) {
	if slices.Contains(o.open, t) {
		o.err = fmt.Errorf("type %s contains itself", t)
		return
	}
	o.open = append(o.open, t)
	defer func() { o.open = o.open[:len(o.open)-1] }()
	known := t.fields()
	if known.err != nil {
		o.err = known.err
	}
	for _, f := range known.list {
		if f.doc == "Ignored." {
			continue // only an API server writes this field
		}
		line := fmt.Sprintf("%s%s <%s>%s", indent, f.name, typeName(f.typ), requiredMark(f))
		if said := f.rules.said(unitOf(f.typ)); said != "" {
			line += "  " + said
		}
		if f.doc != "" {
			line += "  # " + f.doc
		}
		o.out.WriteString(line + "\n")
		if below := structBelow(f.typ); below.Is() {
			o.fields(below, indent+"  ")
		}
	}
}

// FieldsAt returns the names of the fields below a path such as spec.resource; "" means the whole document. It returns nil
// if there are none.
func FieldsAt(body Type, at string) []string {
	here := body
	for i, step := range splitPath(at) {
		if here = structBelow(here); !here.Is() {
			return nil
		}
		next := here.fields().named(step.name)
		if next == nil && i == 0 {
			next = frameFields().named(step.name)
		}
		if next == nil {
			return nil
		}
		here = next.typ
	}
	if here = structBelow(here); !here.Is() {
		return nil
	}
	names := slices.Clone(here.fields().names)
	if at == "" {
		names = append(slices.Clone(frameFields().names), names...)
	}
	return names
}
