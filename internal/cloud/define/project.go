package define

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// ProjectRef is the field in which K-ORC's Neutron kinds name the Project of an object. People who may change
// things in another project could write a mark of this stack there. So the mark of such an object is stored
// where only people who may change the object can write. The mark counts only while a manifest, or a Project of
// the stack, refers to that project.
type ProjectRef struct {
	ProjectRef string `json:"projectRef,omitempty" rule:"immutable" ref:"Project" doc:"The Project of the object; the project of the stack if left out. Another project needs an entry of clouds.yaml with the credentials of an administrator. The owner mark of an object in another project is at the end of its description."`
}

// ProjectFilter finds objects of a Project. It also finds objects that do not belong to the stack, which can be
// imported.
type ProjectFilter struct {
	ProjectRef string `json:"projectRef,omitempty" ref:"Project" doc:"The Project that the object is in."`
}

// resident is a spec with a [ProjectRef].
type resident interface{ project() string }

func (p *ProjectRef) project() string { return p.ProjectRef }

// isResident reports whether manifests of a kind can name the project.
func isResident[Spec any]() bool {
	_, ok := any((*Spec)(nil)).(resident)
	return ok
}

// MatchProject reports whether an object of that project matches the filter.
func (p ProjectFilter) MatchProject(projectID string, lookup func(kind, name string) kind.Ref) bool {
	ref := lookup("Project", p.ProjectRef)
	return ref.Name == "" || ref.ID == projectID
}

// projectOf is the reference to the project that a manifest names; zero for none.
func projectOf[Spec any](w typed.Want[Spec]) (ref kind.Ref) {
	if in, ok := any(w.Spec).(resident); ok {
		ref = w.Ref("Project", in.project())
	}
	return ref
}

// otherProject is the ID of the project that a manifest names, if it is not the client's own; "" otherwise.
func (d *Driver[Spec, Filter, More]) otherProject(w typed.Want[Spec]) string {
	if ref := projectOf(w); ref.ID != d.Client.ProjectID {
		return ref.ID
	}
	return ""
}

// recordProject records the project of an object. In another project only the mark in the description counts, because
// others who see the object may write its tags.
func (s *State[Spec, More]) recordProject(live *kind.Live) {
	guarded := s.guarded()
	live.Project, live.Guarded = s.Project, guarded != nil
	if live.InOwnProject {
		return
	}
	live.Uses = append(live.Uses, live.Project)
	if guarded != nil {
		live.Mark = guarded
	}
}

// guarded returns the mark if it is in a place that only people who may change the object can write; nil
// otherwise. Tags are not such a place.
func (s *State[Spec, More]) guarded() *kind.Mark {
	if s.Standard == nil {
		return s.Mark
	}
	_, m := mark.InDescription(s.Standard.Described)
	return m
}

// diffProject adds a note if the manifest names another project than the object's, because an object cannot be
// moved.
func diffProject[Spec any](w typed.Want[Spec], projectID string, c *kind.Changes) {
	if ref := projectOf(w); ref.ID != "" && ref.ID != projectID {
		c.Note(table.Path("projectRef"), fmt.Sprintf("the object stays in project %s, the project of this stack: an object cannot be moved to another project", projectID))
	}
}

// unmarkable returns the reason why the object cannot be made in another project: its mark would not count, or it is to be
// shared; "" if it can.
func (d *Driver[Spec, Filter, More]) unmarkable(w typed.Want[Spec]) string {
	ref := projectOf(w)
	if ref.ID == "" || ref.Facts.OwnProject {
		return ""
	}
	where := table.Path("projectRef") + ": in another project, the owner mark is in the description, "
	description, _ := d.fields.ValueIn("description", w.Spec).(string)
	if _, fits := mark.Description(w.Mark, description); !fits {
		return where + "but this description has no room for the mark; shorten it"
	}
	if w.OthersWrite(table.Path("description")) {
		return where + "but an annotation (ignore-fields or drift) leaves the description as it is; remove the annotation"
	}
	if s := sharesIn(w.Spec); s != nil && s.SharedWith != nil {
		return sharedWith + ": only objects of the stack's own project can be shared; remove projectRef or this field"
	}
	return ""
}
