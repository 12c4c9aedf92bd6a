package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// Way is one way in which the cloud can change a field, as the tag `ways:"resize=reboot|…"` declares it.
type Way struct {
	Name string // in the annotation that chooses among them
	Cost string // what it does to users: see WayCosts
}

// WayCosts are what a way can cost, mildest first.
func WayCosts() []string { return []string{"in-place", "reboot", "rebuild"} }

// The ways that every field has whose change would replace the object.
const (
	WayReplace = "replace"
	WayNext    = "next" // when it is replaced or rebuilt for another reason
	WayIgnore  = "ignore"
)

// AnyField are those ways, in the order in which they are named.
func AnyField() []string { return []string{WayReplace, WayNext, WayIgnore} }

// ParseWays reads a tag ways.
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
	Names []string // what the field may be called in an annotation, the usual name first: "flavorRef", "flavor"
	Ways  []string // names, those that every field has among them
}

// Called reports whether the field is meant by a name.
func (c Choice) Called(name string) bool { return name == c.Path || slices.Contains(c.Names, name) }

// Choices lists the fields below a path of documents of a type of which a manifest can choose how they are changed:
// those that are immutable or declare ways, in the order of the structs. A reference is also called by its name without
// Ref, and a field by its tag alias.
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

// waysSaid is what explain says of a field's ways.
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
