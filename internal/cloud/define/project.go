package define

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// ProjectRef is the field by which K-ORC's Neutron kinds name the Project that an object is in.
// Whoever may change things in another project could write a mark of this stack there, so two
// things hold for what is there: its mark stands where nobody else can write, and counts only
// while a manifest, or a Project of the stack, leads to that project.
type ProjectRef struct {
	ProjectRef string `json:"projectRef,omitempty" rule:"immutable" ref:"Project" doc:"The Project it is in; the one that the stack works in if left out. Another one needs an administrator's entry of clouds.yaml, and the mark of the owner stands behind the description there."`
}

// ProjectFilter finds objects of a Project. Those of others are found too: they are for
// imports.
type ProjectFilter struct {
	ProjectRef string `json:"projectRef,omitempty" ref:"Project" doc:"The Project it is in."`
}

// resident is a spec with a [ProjectRef].
type resident interface{ project() string }

func (p *ProjectRef) project() string { return p.ProjectRef }

// MatchProject reports whether an object of a project is meant.
func (p ProjectFilter) MatchProject(projectID string, lookup func(kind, name string) kind.Ref) bool {
	ref := lookup("Project", p.ProjectRef)
	return ref.Name == "" || ref.ID == projectID
}

// projectOf is the reference to the project that a manifest names; zero for none.
func projectOf[Spec any](w typed.Want[Spec]) kind.Ref {
	in, ok := any(w.Spec).(resident)
	if !ok || in.project() == "" {
		return kind.Ref{}
	}
	return w.Ref("Project", in.project())
}

// elsewhere is the ID of the project that a manifest names, where that is not the client's own.
func elsewhere[Spec any](c *cloud.Client, w typed.Want[Spec]) string {
	if ref := projectOf(w); ref.ID != c.ProjectID {
		return ref.ID
	}
	return ""
}

// diffProject notes that a Project was named later: an object cannot be moved to it.
func diffProject[Spec any](w typed.Want[Spec], projectID string, c *kind.Changes) {
	if ref := projectOf(w); ref.ID != "" && ref.ID != projectID {
		c.Note(table.Path("projectRef"), fmt.Sprintf("it stays in project %s, where this stack works: nothing can be moved to another project", projectID))
	}
}

// unmarkable says why an object of another project could not be told from those of others; "" where
// it can. description is the one of the manifest.
func unmarkable[Spec any](w typed.Want[Spec], description string) string {
	ref := projectOf(w)
	if ref.ID == "" || ref.Facts.Here {
		return ""
	}
	where := table.Path("projectRef") + ": in another project the mark of the owner stands in the description, "
	if _, fits := mark.Description(w.Mark, description); !fits {
		return where + "and this one leaves no room for it; shorten it"
	}
	if w.OthersWrite(table.Path("description")) {
		return where + "which is left to others here; remove that annotation"
	}
	if s := sharesIn(w.Spec); s != nil && s.SharedWith != nil {
		return sharedWith + ": only what is in the project that the stack works in is shared with others; remove projectRef or this"
	}
	return ""
}
