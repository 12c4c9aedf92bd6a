package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// Way is one way in which the cloud can change a field, as the tag `ways:"resize=reboot|…"` declares it.
type Way struct {
	Name string // the name in the annotation that chooses among the ways
	Cost string // its effect on users: see WayCosts
}

// WayCosts lists the possible costs of a way, mildest first.
func WayCosts() []string { return []string{"in-place", "reboot", "rebuild"} }

// These ways exist for every field whose change would replace the object.
const (
	WayReplace = "replace"
	WayNext    = "next" // the change waits until the object is replaced or rebuilt for another reason
	WayIgnore  = "ignore"
)

// AnyField returns the ways of every field whose change would replace the object, in the order for messages.
func AnyField() []string { return []string{WayReplace, WayNext, WayIgnore} }

// ParseWays parses the text of a tag `ways:"…"`.
func ParseWays(tag string) (ways []Way, err error) {
	if tag == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(tag, "|") {
		name, cost, _ := strings.Cut(part, "=")
		if name == "" || slices.Contains(AnyField(), name) || !slices.Contains(WayCosts(), cost) {
			return nil, fmt.Errorf("ways: %q is no NAME=COST with a cost of %s", part, strings.Join(WayCosts(), ", "))
		}
		ways = append(ways, Way{name, cost})
	}
	return ways, nil
}

// Choice is a field whose change can be carried out in more than one way.
type Choice struct {
	Path  string   // "spec.resource.flavorRef"
	Names []string // the names of the field in an annotation, the usual name first: "flavorRef", "flavor"
	Ways  []string // the names of the ways, including those that every field has
}

// Called reports whether the field has the name.
func (c Choice) Called(name string) bool { return name == c.Path || slices.Contains(c.Names, name) }

// Choices returns those fields below a path for which a manifest can choose the way of a change. Such a field is immutable
// or declares ways. The order is that of the structs. A reference may also be named without Ref, and a field by the alias
// in its tag.
func Choices(body Type, under string) (list []Choice) {
	t := body
	if !t.Is() {
		return nil
	}
	for _, step := range splitPath(under) {
		if t = step.inType(t); !t.Is() {
			return nil
		}
	}
	var walk func(t Type, path string, within []Type)
	walk = func(t Type, path string, within []Type) {
		if t.shape() != structShape || slices.Contains(within, t) {
			return
		}
		for _, f := range t.fields().list {
			name := strings.TrimPrefix(path+"."+f.name, ".")
			if !f.rules.immutable && len(f.ways) == 0 {
				walk(f.typ, name, append(slices.Clip(within), t))
				continue
			}
			c := Choice{Path: under + "." + name, Names: []string{name}}
			if short, ok := strings.CutSuffix(name, "Ref"); ok && short != "" && !strings.HasSuffix(short, ".") {
				c.Names = append(c.Names, short)
			}
			if f.alias != "" {
				c.Names = append(c.Names, f.alias)
			}
			for _, w := range f.ways {
				c.Ways = append(c.Ways, w.Name)
			}
			c.Ways = append(c.Ways, AnyField()...)
			list = append(list, c)
		}
	}
	walk(t, "", nil)
	return list
}

// waysSaid returns the description of a field's ways for Explain.
func (f field) waysSaid() string {
	if len(f.ways) == 0 {
		return ""
	}
	var names []string
	for _, w := range f.ways {
		names = append(names, w.Name+" ("+costWords[w.Cost]+")")
	}
	return "changed by " + strings.Join(names, ", ") + ", " + WayReplace + ", " + WayNext + " or " + WayIgnore + ", as change-policy says"
}

var costWords = map[string]string{"in-place": "in place", "reboot": "reboots it", "rebuild": "wipes its disk"}
