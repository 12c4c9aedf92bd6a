package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// projectOf is the reference to the project that a manifest says its object is in; zero where it
// leaves that to be the stack's own.
func (p *planner) projectOf(d *kind.Desired) kind.Ref {
	if k := p.KindOf[d.Key.Kind]; k != nil && k.Project != nil && d.Spec != nil {
		return k.Project(p.view(d, d.Spec))
	}
	return kind.Ref{}
}

// inProject reports whether an object belongs to the project that d is made in: the one of its
// entry, or the one that its manifest names.
func (p *planner) inProject(d *kind.Desired, l *kind.Live) bool {
	seen := l.As(d.Entry)
	if project := p.projectOf(d); project.Name != "" {
		return seen != nil && seen.Project != "" && seen.Project == project.ID
	}
	return seen != nil && seen.InOwnProject
}

// mayTake reports whether d may adopt an object: it is in its project, and the stack has that. In a
// project that it only imports it changes nothing that it has not made.
func (p *planner) mayTake(d *kind.Desired, l *kind.Live) bool {
	project := p.projectOf(d)
	in := p.ByKey[project.Key]
	return p.inProject(d, l) && (l.InOwnProject || in != nil && !in.Unmanaged)
}

// reached reports for the ID of a project whether the stack has to do with it: it is one of its
// Projects, made or imported, or was.
func (p *planner) reached() func(id string) bool {
	ids := map[string]bool{}
	for _, name := range p.KindNames {
		if x := p.Cloud.Of(name); x != nil {
			for l := range x.Marked() {
				if l.Facts.IsProject {
					ids[l.ID] = true
				}
			}
		}
	}
	for _, l := range p.found.Live {
		if l.Facts.IsProject {
			ids[l.ID] = true
		}
	}
	return func(id string) bool { return ids[id] }
}

// mostAstray is how much of what is left in other projects a plan tells: anybody can have marks there.
const mostAstray = 20

// astray makes the steps for what bears a mark of the stack in a project that no manifest names for
// it. It may be what one named before, so it is told; whoever has the project can have written it,
// so nothing else follows.
func (p *planner) astray(reached func(id string) bool) (list []plan.Step) {
	for _, name := range p.KindNames {
		x := p.Cloud.Of(name)
		if x == nil || p.Have[name].Err != nil {
			continue
		}
		for owner, l := range x.Elsewhere() {
			d, why := p.ByKey[p.ByOwner[owner]], cause.Of(cause.NoProjectLeads)
			if d != nil {
				why = cause.Of(cause.OtherProject)
			}
			switch {
			case len(list) == mostAstray:
				return list
			case d == nil && reached(l.Project) || d != nil && p.projectOf(d).ID == l.Project:
				continue // it is decided about
			}
			o, _ := ownertext.Parse(owner)
			s := plan.Step{Key: p.orphanKey(o, l), Object: plan.Object{Have: l, Surplus: true}}
			list = append(list, s.WithAction(plan.Keep, cause.Of(cause.ElsewhereByMark, called(l), l.Project, why, p.unmark(name, l.ID, owner))))
		}
	}
	return list
}
