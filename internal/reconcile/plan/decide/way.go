package decide

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// mayReplace reports whether a change may replace the object. An annotation that names the field decides that: if it chooses another way,
// the object is not replaced. A change with [manifest.WayNext] is in the plan only if another change replaces or rebuilds the object.
//
// If an import finds another object now, only such an annotation allows the replacement. For example, a new image with the name "latest" is
// no reason to replace machines.
func (p *planner) mayReplace(d *kind.Desired, have *kind.Live, c kind.Change) bool {
	switch way := d.Options.Way(c.Field); {
	case c.Field == plan.RequestField:
		return mayBeRequested(d)
	case way != "":
		return way == manifest.WayReplace || way == manifest.WayNext
	case p.changedImport(d, have, c) != nil:
		return false
	case d.Options.Replace != nil:
		return *d.Options.Replace
	}
	return p.Replace || p.consents(d)
}

func waysOf(field string, c kind.Change) (list []string) {
	for _, way := range c.OpenWays() {
		list = append(list, field+"="+way)
	}
	return list
}

// changedImport returns the import that a change results from, if the present manifest was applied to the object. Then the import finds another
// object now although no manifest has changed. It returns nil if there is none.
func (p *planner) changedImport(d *kind.Desired, have *kind.Live, c kind.Change) *kind.Desired {
	if !p.Applied(d, have.Mark) {
		return nil
	}
	for _, ref := range d.Refs {
		if ref.Order || !kind.Within(ref.Field, c.Field) && !kind.Within(c.Field, ref.Field) {
			continue
		}
		if target := p.ByKey[ref.Key]; target != nil && target.Unmanaged && p.found.Live[target] != nil {
			return target
		}
	}
	return nil
}

// whyNotReplace says why a change that would replace the object is refused, and what people can do.
func (p *planner) whyNotReplace(d *kind.Desired, have *kind.Live, c kind.Change) cause.Cause {
	if c.Field == plan.RequestField {
		return cause.Of(cause.RequestBarred, resolve.AnnotationReplace)
	}
	field := strings.TrimPrefix(c.Field, d.SpecPath+".")
	if other := p.changedImport(d, have, c); other != nil && d.Options.Way(c.Field) == "" {
		ways := slices.Concat([]string{field + "=" + manifest.WayReplace}, waysOf(field, c))
		return cause.Of(cause.BarredImport, c.Field, other.Key, resolve.AnnotationChange, strings.Join(ways, " or "))
	}
	if _, refusal := d.Options.Chosen(c); refusal != "" {
		ways := append(c.OpenWays(), manifest.WayReplace, manifest.WayIgnore)
		return cause.Of(cause.BarredWay, c.Field, resolve.AnnotationChange, refusal, field+"="+strings.Join(ways, " or "+field+"="))
	}
	var other cause.Cause
	if open := c.OpenWays(); len(open) > 0 {
		other = cause.Of(cause.OtherWay, resolve.AnnotationChange, field+"="+strings.Join(open, " or "+field+"="))
	}
	return cause.Of(cause.Barred, c.Field, resolve.AnnotationReplace, other)
}
