package define

import (
	"context"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// ProjectRef is the field by which K-ORC's Neutron kinds name a Project. A
// stack works in one project, so what it makes can only be in that one.
type ProjectRef struct {
	ProjectRef string `json:"projectRef,omitempty" rule:"immutable" ref:"Project" doc:"The Project it is in, which must be the one that the stack works in."`
}

// ProjectFilter is the same field in an import filter, where any Project will
// do.
type ProjectFilter struct {
	ProjectRef string `json:"projectRef,omitempty" ref:"Project" doc:"The Project it is in."`
}

// Check refuses a project that is not the one the client works in.
func (p ProjectRef) Check(c *cloud.Client, lookup func(kind, name string) kind.Ref) error {
	ref := lookup("Project", p.ProjectRef)
	if ref.ID == "" || ref.ID == c.ProjectID {
		return nil
	}
	return fmt.Errorf("%w: spec.resource.projectRef: Project %s is %s, and this stack works in %s; remove projectRef, or give that project a stack of its own",
		kind.ErrRejected, ref.Name, ref.ID, c.ProjectID)
}

// Diff notes that an object is in another project than the one named. Neutron
// cannot move it, and recreating it would not either.
func (p ProjectRef) Diff(projectID string, lookup func(kind, name string) kind.Ref, c *kind.Changes) {
	if ref := lookup("Project", p.ProjectRef); ref.ID != "" && ref.ID != projectID {
		c.Note("spec.resource.projectRef", fmt.Sprintf("it stays in project %s, where this stack works: nothing can be moved to another project", projectID))
	}
}

// MatchProject reports whether something of this project passes.
func (p ProjectFilter) MatchProject(projectID string, lookup func(kind, name string) kind.Ref) bool {
	ref := lookup("Project", p.ProjectRef)
	return ref.Name == "" || ref.ID == projectID
}

// InOwnProject makes an object in the project that the client works in, and in no other: the
// Create of a [Plain] kind whose Spec has a [ProjectRef].
func InOwnProject[Spec, Filter, More any](ctx context.Context, d *PlainDriver[Spec, Filter, More], w kind.Want[*Spec]) (*PlainState[Spec, More], error) {
	if in, ok := any(w.Spec).(inProject); ok {
		if err := in.Check(d.Client, w.Ref); err != nil {
			return nil, err
		}
	}
	return d.Post(ctx, d.Creation(w))
}
