package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// One manifest can stand for many objects. If all of them have the same mistake, it is reported once. If the manifest contains the template
// of those objects, the mistake is reported at the template.

// problemKey identifies equal problems of objects that come from one manifest.
type problemKey struct {
	at                     manifest.Origin
	kind, field, what, fix string
}

// repeated is a problem, with the number of other problems that are equal to it.
type repeated struct {
	place int // index of the problem among all problems
	more  int
}

// report adds problems, until there are too many.
func (r *resolver) report(problems ...manifest.Problem) {
	for _, p := range problems {
		n := r.byKey[p.Key]
		p = r.withoutValues(n, r.moveToGroup(p))
		r.placeTemplate(&p)
		if n != nil && n.Parent != (manifest.Key{}) && r.alreadyReported(p) {
			continue
		}
		if len(r.problems) < maxProblems {
			r.problems = append(r.problems, p)
		}
	}
}

// moveToGroup changes a problem of a group's member to a problem of the group, if the group's manifest contains the members' template.
func (r *resolver) moveToGroup(p manifest.Problem) manifest.Problem {
	n := r.byKey[p.Key]
	if n == nil || n.Parent == (manifest.Key{}) {
		return p
	}
	group := r.byKey[n.Parent]
	of := r.kinds[n.Parent.Kind].Group
	if of.Members != n.Key.Kind || of.Spec == "" || !kind.Within(p.Field, flatSpec) {
		return p
	}
	p.Field = of.Spec + strings.TrimPrefix(p.Field, flatSpec)
	p.Key, p.Origin = group.Key, group.Object.Where(p.Field)
	group.Object.Release()
	return r.moveToGroup(p)
}

// flatSpec is the path of the spec of a workload.
const flatSpec = "spec"

// alreadyReported reports whether an equal problem was reported before, and counts it. Problems are equal if they differ only in the name of
// their object.
func (r *resolver) alreadyReported(p manifest.Problem) bool {
	nameless := func(text string) string { return strings.ReplaceAll(text, p.Key.Name, "\x00") }
	of := problemKey{p.Origin, p.Key.Kind, nameless(p.Field), nameless(p.What), nameless(p.Fix)}
	if first, ok := r.repeated[of]; ok {
		if r.problems[first.place].Key != p.Key {
			first.more++
		}
		return true
	}
	if r.repeated == nil {
		r.repeated = map[problemKey]*repeated{}
	}
	if len(r.problems) < maxProblems {
		r.repeated[of] = &repeated{place: len(r.problems)}
	}
	return false
}

// allProblems returns all problems, each with the number of equal ones.
func (r *resolver) allProblems() []manifest.Problem {
	problems := slices.Clone(r.problems)
	for _, a := range r.repeated {
		if p := &problems[a.place]; a.more > 0 {
			p.What += fmt.Sprintf(" (%d more like it)", a.more)
		}
	}
	return problems
}

// maybeUnexpanded reports whether a missing object may be a part of an object with mistakes, which was not expanded. A part has the same name as the
// object that it belongs to, or that name with a suffix.
func (r *resolver) maybeUnexpanded(key manifest.Key) bool {
	if len(r.invalid) == 0 {
		return false
	}
	for name := key.Name; name != ""; {
		for of := range r.kinds {
			if r.invalid[r.key(of, key.Namespace, name)] && r.expandsInto(of, key.Kind, nil) {
				return true
			}
		}
		name = name[:max(0, strings.LastIndexByte(name, '-'))]
	}
	return false
}

// expandsInto reports whether objects of the kind of can expand into objects of the kind part.
func (r *resolver) expandsInto(of, part string, within []string) bool {
	k := r.kinds[of]
	if k == nil || slices.Contains(within, of) {
		return false
	}
	return slices.ContainsFunc(k.Info.Parts, func(next string) bool {
		return next == part || r.expandsInto(next, part, append(slices.Clip(within), of))
	})
}
