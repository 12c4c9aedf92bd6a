package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// projectOf returns the reference to the project that a manifest names for its object; zero if the object is in the stack's own project.
func (p *planner) projectOf(d *kind.Desired) kind.Ref {
	if k := p.KindOf[d.Key.Kind]; k != nil && k.Project != nil && d.Spec != nil {
		return k.Project(p.view(d, d.Spec))
	}
	return kind.Ref{}
}

// inProject reports whether an object belongs to the project of d. That is the project that the manifest names, or otherwise the project of
// the manifest's entry.
func (p *planner) inProject(d *kind.Desired, l *kind.Live) bool {
	seen := l.SeenBy(d.Entry)
	if project := p.projectOf(d); project.Name != "" {
		return seen != nil && seen.Project != "" && seen.Project == project.ID
	}
	return seen != nil && seen.InOwnProject
}

// mayTake reports whether d may adopt an object. The object must be in the project of d, and that must be the stack's own project or a
// Project that the stack manages. In a project that it only imports, the stack changes only objects that it created itself.
func (p *planner) mayTake(d *kind.Desired, l *kind.Live) bool {
	project := p.projectOf(d)
	in := p.ByKey[project.Key]
	return p.inProject(d, l) && (l.InOwnProject || in != nil && !in.Unmanaged)
}

// ownProjects returns a function that reports whether the project with an ID is, or was, one of the stack's Projects, managed or imported.
func (p *planner) ownProjects() func(id string) bool {
	ids := map[string]bool{}
	for _, name := range p.KindNames {
		if x := p.Cloud.Collection(name); x != nil {
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

// maxInOtherProjects is how many objects in other projects a plan reports. The number is limited because other people can write marks there.
const maxInOtherProjects = 20

// stepsInOtherProjects makes the steps for objects that have a mark of the stack in a project that no manifest names for them. A manifest may have named
// that project before, so the plan reports them. Everybody with access to the project can write such a mark, so the plan does nothing else
// about it.
func (p *planner) stepsInOtherProjects(reached func(id string) bool) (list []plan.Step) {
	for _, name := range p.KindNames {
		x := p.Cloud.Collection(name)
		if x == nil || p.Have[name].Err != nil {
			continue
		}
		for owner, l := range x.InOtherProjects() {
			d, why := p.ByOwner[owner], cause.Of(cause.NoProjectLeads)
			if d != nil {
				why = cause.Of(cause.OtherProject)
			}
			switch {
			case len(list) == maxInOtherProjects:
				return list
			case d == nil && reached(l.Project) || d != nil && p.projectOf(d).ID == l.Project:
				continue // another step is about the object
			}
			o, _ := ownertext.Parse(owner)
			s := plan.Step{Key: p.orphanKey(o, l), Object: plan.Object{Have: l, Surplus: true}}
			list = append(list, s.WithAction(plan.Keep, cause.Of(cause.ElsewhereByMark, liveText(l), l.Project, why, p.unmark(name, l.ID, owner))))
		}
	}
	return list
}
