package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Outline is every field of a kind, indented by depth, each with its type and rules and the first sentence about it.
func Outline(body reflect.Type) (string, error) {
	o := outline{}
	o.fields(reflect.TypeFor[frame](), "  ")
	o.fields(body, "  ")
	return o.out.String(), o.err
}

type outline struct {
	out  strings.Builder
	open []reflect.Type // being described, to refuse endless ones
	err  error
}

func (o *outline) fields(t reflect.Type, indent string) {
	if slices.Contains(o.open, t) {
		o.err = fmt.Errorf("type %s contains itself", t)
		return
	}
	o.open = append(o.open, t)
	defer func() { o.open = o.open[:len(o.open)-1] }()
	known := fieldsOf(t)
	if known.err != nil {
		o.err = known.err
	}
	for _, f := range known.list {
		if f.doc == "Ignored." {
			continue // what only a server writes
		}
		line := fmt.Sprintf("%s%s <%s>%s", indent, f.name, typeName(f.typ), requiredMark(f))
		if said := f.rules.said(unitOf(f.typ)); said != "" {
			line += "  " + said
		}
		if f.doc != "" {
			line += "  # " + f.doc
		}
		o.out.WriteString(line + "\n")
		if below := structBelow(f.typ); below != nil {
			o.fields(below, indent+"  ")
		}
	}
}

// FieldsAt are the names of the fields below a path such as spec.resource, of whole documents below ""; nil when there
// are none.
func FieldsAt(body reflect.Type, at string) []string {
	here := body
	for i, step := range splitPath(at) {
		if here = structBelow(here); here == nil {
			return nil
		}
		next := fieldsOf(here).named(step.name)
		if next == nil && i == 0 {
			next = fieldsOf(reflect.TypeFor[frame]()).named(step.name)
		}
		if next == nil {
			return nil
		}
		here = next.typ
	}
	if here = structBelow(here); here == nil {
		return nil
	}
	names := slices.Clone(fieldsOf(here).names)
	if at == "" {
		names = append(slices.Clone(fieldsOf(reflect.TypeFor[frame]()).names), names...)
	}
	return names
}
