package plan

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// mayReplace reports whether the object may be replaced for the sake of a change. An
// annotation that names the field decides it for that field: whoever chose another way
// did not choose this one. A change that waits for another reason is there only when there is one.
func (p *planner) mayReplace(d *kind.Desired, c kind.Change) bool {
	switch way := d.Options.Way(c.Field); {
	case way != "":
		return way == manifest.WayReplace || way == manifest.WayNext
	case d.Options.Replace != nil:
		return *d.Options.Replace
	}
	return p.Replace
}

// whyBarred says why a change that would replace the object is refused, and what
// people can do.
func whyBarred(d *kind.Desired, c kind.Change) string {
	field := strings.TrimPrefix(c.Field, d.SpecPath+".")
	if _, refusal := d.Options.Chosen(c); refusal != "" {
		return c.Field + " cannot be changed as " + resolve.AnnotationChange + " asks: " + refusal +
			"; choose " + field + "=" + strings.Join(append(c.Open(), manifest.WayReplace, manifest.WayIgnore), " or "+field+"=") + ", or undo the change"
	}
	text := c.Field + " cannot be changed in place; allow it with the annotation " + resolve.AnnotationReplace + ": allow, "
	if open := c.Open(); len(open) > 0 {
		text += "choose another way with " + resolve.AnnotationChange + ": " + field + "=" + strings.Join(open, " or "+field+"=") + ", "
	}
	return text + "or undo the change"
}
