package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// maxWays is the maximum number of fields for which an object can choose a way.
const maxWays = 50

// wayChosen is an item of the annotation [AnnotationChange], field=way.
type wayChosen struct{ text, field, way string }

func chosenWays(d *kind.Desired) (list []wayChosen) {
	for text := range strings.SplitSeq(d.Object.Annotations[AnnotationChange], ",") {
		if text = strings.TrimSpace(text); text != "" && len(list) <= maxWays {
			field, way, _ := strings.Cut(text, "=")
			list = append(list, wayChosen{text, strings.TrimSpace(field), strings.TrimSpace(way)})
		}
	}
	return list
}

// waysOf returns the ways that the object's annotation chooses for its own fields. The parts of an object inherit the annotation, and each
// part uses the fields that it has. A way that a field does not have is returned, too, so that the plan refuses such a change instead of
// replacing the object.
func waysOf(d *kind.Desired) (ways map[string]string) {
	chosen := chosenWays(d)
	if len(chosen) == 0 || d.Unmanaged || d.Virtual {
		return nil
	}
	for _, c := range manifest.Choices(d.Body, d.SpecPath) {
		for _, w := range chosen {
			if !c.Called(w.field) {
				continue
			}
			if ways == nil {
				ways = map[string]string{}
			}
			ways[c.Path] = w.way
		}
	}
	return ways
}

// checkWays refuses annotations that name a field or a way which neither the object nor any object
// that it expands into has.
func (r *resolver) checkWays() {
	for _, n := range r.order[:r.written] {
		chosen := chosenWays(&n.Desired)
		if n.invalid || len(chosen) == 0 {
			continue
		}
		var choices []manifest.Choice
		for _, b := range r.bodiesOf(n) {
			choices = append(choices, manifest.Choices(b.body, b.spec)...)
		}
		named := map[string]string{} // paths that were named, with the items that name them
		for i, w := range chosen {
			if r.over() {
				return
			}
			if i == maxWays {
				r.report(n.Problem(AnnotationField(AnnotationChange), fmt.Sprintf("has more than %d entries", maxWays), "keep the entries for fields that differ"))
				break
			}
			if p, wrong := r.judgeWay(n, w, choices, named); wrong {
				r.report(p)
			}
		}
	}
}

func (r *resolver) judgeWay(n *node, w wayChosen, choices []manifest.Choice, named map[string]string) (p manifest.Problem, wrong bool) {
	field := AnnotationField(AnnotationChange)
	var ways []string
	known := false
	for _, c := range choices {
		if !c.Called(w.field) {
			continue
		}
		if before, twice := named[c.Path]; twice && before != w.text {
			return n.Problem(field, fmt.Sprintf("has both %q and %q", clip(before), clip(w.text)), "keep one of them"), true
		}
		known, named[c.Path] = true, w.text
		for _, way := range c.Ways {
			if !slices.Contains(ways, way) {
				ways = append(ways, way)
			}
		}
	}
	switch {
	case !known:
		return n.Problem(field, fmt.Sprintf("has %q, but no field %s of %s has such a choice", clip(w.text), clip(w.field), r.ownerText(n)), "the fields with a choice are "+choiceNames(choices)), true
	case !slices.Contains(ways, w.way):
		return n.Problem(field, fmt.Sprintf("has %q, which is not a possible way to change %s", clip(w.text), clip(w.field)), "use one of "+strings.Join(ways, ", ")), true
	}
	return p, false
}

// choiceNames returns the names of the fields with a choice. If a field has more ways than those that every field has, they are listed, too.
func choiceNames(choices []manifest.Choice) string {
	if len(choices) == 0 {
		return "none"
	}
	var names []string
	for _, c := range choices {
		name := c.Names[0]
		if len(c.Ways) > len(manifest.AnyField()) {
			name += " (" + strings.Join(c.Ways, ", ") + ")"
		}
		if !slices.Contains(names, name) && len(names) < maxWays {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// ownerText returns a text for the object whose fields an annotation is about.
func (r *resolver) ownerText(n *node) string {
	if r.kinds[n.Key.Kind].Driver == nil {
		return "the parts of a " + n.Key.Kind
	}
	return n.Key.Kind
}

// clip shortens a text from outside the agent for problems.
func clip(text string) string { return printable.Clip(text, 100) }
