package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// checkAnnotations refuses annotations with Stackreeve's prefix that no manifest could have. It also refuses
// annotations that apply to the object itself and not to the objects of a template. Annotations that control the
// agent must not contain expressions, so that they can be checked together with the definition.
func (d *draft) checkAnnotations(at string, from any, k *kind.Kind) {
	all, ok := from.(map[string]any)
	if !ok {
		d.problem(at, "must be a mapping of texts", "")
		return
	}
	known := resolve.Annotations()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(name, resolve.AnnotationPrefix) {
			continue
		}
		path := below(at, name)
		text, ok := all[name].(string)
		values := resolve.AnnotationValues()[name]
		switch {
		case known[name] == "":
			fix := "there are " + strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			if near := nearest.Name(name, slices.Sorted(maps.Keys(known))); near != "" {
				fix = "did you mean " + near + "?"
			}
			d.problem(path, "is an unknown annotation", fix)
		case name == resolve.AnnotationAdopt || name == resolve.AnnotationMoved:
			d.problem(path, "names one object, but the template creates many", "write it on the object of the kind: there, it applies to all objects to which that object expands")
		case !ok || strings.Contains(text, "${"):
			d.problem(path, "contains an expression", "write a constant: annotations that steer the agent cannot have expressions")
		case values != nil && !slices.Contains(values, text):
			d.problem(path, fmt.Sprintf("is %s", quote(text)), "use "+strings.Join(values, " or "))
		case name == resolve.AnnotationIgnore || name == resolve.AnnotationChange:
			d.later = append(d.later, func() { d.checkChoices(name, path, text, k) })
		}
	}
}

// maxEntries is the maximum number of entries of a list that are checked.
const maxEntries = 100

// checkChoices refuses fields, and ways to change fields, that do not exist in objects of the kind, nor in objects to
// which these expand. It runs after all definitions are read, because only then it is known to which objects their
// kinds expand.
func (d *draft) checkChoices(name, path, text string, k *kind.Kind) {
	all := d.reached(k)
	if len(all) == 0 {
		return
	}
	of := k.Info.Kind
	if k.Driver == nil {
		of = "the parts of a " + of
	}
	var choices []manifest.Choice
	for _, k := range all {
		choices = append(choices, manifest.Choices(k.Body, k.SpecPath)...)
	}
	for i, entry := range strings.SplitN(text, ",", maxEntries+1) {
		if i == maxEntries {
			return // an object with so many entries is refused
		}
		entry = strings.TrimSpace(entry)
		switch {
		case entry == "":
		case name == resolve.AnnotationIgnore:
			d.checkIgnored(path, entry, of, all)
		case name == resolve.AnnotationChange && !slices.ContainsFunc(choices, func(c manifest.Choice) bool { return isChoice(c, entry) }):
			d.problem(path, fmt.Sprintf("has %s, which is not a possible choice for %s", quote(entry), of), meantChoice(choices, entry))
		}
	}
}

// checkIgnored refuses a path that none of the kinds has. It also refuses a path inside a value that is compared and
// written as a whole.
func (d *draft) checkIgnored(path, entry, of string, all []*kind.Kind) {
	switch known, whole := resolve.Ignorable(all, entry); {
	case !known:
		d.problem(path, fmt.Sprintf("names %s, which is not a field of %s", quote(entry), of), "name a field as a manifest has it, such as spec.resource.description")
	case whole != "":
		d.problem(path, fmt.Sprintf("names %s, but %s is compared and written as a whole", quote(entry), whole), "name "+whole+" to have the agent ignore all of it")
	}
}

func isChoice(c manifest.Choice, entry string) bool {
	field, way, _ := strings.Cut(entry, "=")
	return c.Called(strings.TrimSpace(field)) && slices.Contains(c.Ways, strings.TrimSpace(way))
}

// meantChoice suggests the choice that the author of an invalid entry may have meant.
func meantChoice(choices []manifest.Choice, entry string) string {
	field, _, _ := strings.Cut(entry, "=")
	var fields, ways []string
	for _, c := range choices {
		fields = append(fields, c.Names[0])
		if c.Called(strings.TrimSpace(field)) {
			ways = append(ways, c.Ways...)
		}
	}
	slices.Sort(fields)
	if len(ways) > 0 {
		slices.Sort(ways)
		return "use one of " + strings.Join(slices.Compact(ways), ", ")
	}
	if near := nearest.Name(field, fields); near != "" {
		return "did you mean " + near + "?"
	}
	return "the fields with a choice are " + strings.Join(slices.Compact(fields), ", ")
}

// reached returns the kinds that have objects in the cloud: the kind itself, and all kinds to which it can expand.
func (d *draft) reached(k *kind.Kind) (list []*kind.Kind) {
	seen := map[string]bool{}
	var walk func(k *kind.Kind)
	walk = func(k *kind.Kind) {
		info := k.Info
		if seen[info.Kind] {
			return
		}
		seen[info.Kind] = true
		if k.Driver != nil {
			list = append(list, k)
		}
		parts := info.Parts
		if own := d.total.made[info.Kind]; own != nil {
			parts = slices.Sorted(maps.Keys(own.uses))
		}
		for _, name := range parts {
			if part := d.known[name]; part != nil {
				walk(part)
			}
		}
	}
	walk(k)
	return list
}
