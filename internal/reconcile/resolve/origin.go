package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// What somebody wrote once can stand for many objects. What is wrong with all of them alike is one problem, and where a
// manifest holds what those are made of, it is one of that place.

// sameAs tells problems apart of what was made of one manifest.
type sameAs struct {
	at                     manifest.Origin
	kind, field, what, fix string
}

// alike is a problem and how many others are like it.
type alike struct {
	place int // among all problems
	more  int
}

// report takes in problems, but not too many.
func (r *resolver) report(problems ...manifest.Problem) {
	for _, p := range problems {
		n := r.byKey[p.Key]
		p = r.whereWritten(p)
		r.placeTemplate(&p)
		if n != nil && n.Parent != (manifest.Key{}) && r.saidAlready(p) {
			continue
		}
		if len(r.problems) < mostProblems {
			r.problems = append(r.problems, p)
		}
	}
}

// whereWritten is a problem of a member of a group as one of the group, whose manifest says what its members are.
func (r *resolver) whereWritten(p manifest.Problem) manifest.Problem {
	n := r.byKey[p.Key]
	if n == nil || n.Parent == (manifest.Key{}) {
		return p
	}
	group := r.byKey[n.Parent]
	of := r.kinds[n.Parent.Kind].Group
	if group == nil || of.Members != n.Key.Kind || of.Spec == "" || !kind.Within(p.Field, flatSpec) {
		return p
	}
	p.Field = of.Spec + strings.TrimPrefix(p.Field, flatSpec)
	p.Key, p.Origin = group.Key, group.Origin
	if group.Object != nil {
		p.Origin = group.Object.Where(p.Field)
		group.Object.Release()
	}
	return r.whereWritten(p)
}

// flatSpec is where the spec of a workload stands.
const flatSpec = "spec"

// saidAlready counts a problem like one that was reported. What differs in the name of its object only is like it.
func (r *resolver) saidAlready(p manifest.Problem) bool {
	nameless := func(text string) string { return strings.ReplaceAll(text, p.Key.Name, "\x00") }
	of := sameAs{p.Origin, p.Key.Kind, nameless(p.Field), nameless(p.What), nameless(p.Fix)}
	if first, ok := r.alike[of]; ok {
		if r.problems[first.place].Key != p.Key {
			first.more++
		}
		return true
	}
	if r.alike == nil {
		r.alike = map[sameAs]*alike{}
	}
	if len(r.problems) < mostProblems {
		r.alike[of] = &alike{place: len(r.problems)}
	}
	return false
}

// found are all problems, each with how many others are like it.
func (r *resolver) found() []manifest.Problem {
	problems := slices.Clone(r.problems)
	for _, a := range r.alike {
		if p := &problems[a.place]; a.more > 0 {
			p.What += fmt.Sprintf(" (%d more like it)", a.more)
		}
	}
	return problems
}

// unmade reports whether an object may be a part of one that is broken, and so was not made. A part is called like what it
// belongs to, or like that with a suffix.
func (r *resolver) unmade(key manifest.Key) bool {
	if len(r.broken) == 0 {
		return false
	}
	for name := key.Name; name != ""; {
		for of := range r.kinds {
			if r.broken[r.key(of, key.Namespace, name)] && r.standsFor(of, key.Kind, nil) {
				return true
			}
		}
		name = name[:max(0, strings.LastIndexByte(name, '-'))]
	}
	return false
}

// standsFor reports whether objects of one kind can stand for objects of another.
func (r *resolver) standsFor(of, part string, within []string) bool {
	k := r.kinds[of]
	if k == nil || slices.Contains(within, of) {
		return false
	}
	return slices.ContainsFunc(k.Info.Parts, func(next string) bool {
		return next == part || r.standsFor(next, part, append(slices.Clip(within), of))
	})
}
