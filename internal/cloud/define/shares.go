package define

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Shares is the field that lets single other projects use an object of the network service. In
// Neutron each share is an RBAC policy, an object that can contain neither a mark nor a name.
// Policies need no mark: Neutron lets only the object's project and administrators create them,
// they are deleted with the object, and the object has the mark. So they are treated as a part of
// the object, like the rules of a security group.
type Shares struct {
	SharedWith []Share `json:"sharedWith,omitempty" rule:"max=256" doc:"All projects that can use the object, besides its own project; no other project if empty. If left out, the stack does not manage sharing, because people may share the object by hand. Neutron refuses to stop sharing while the other project uses the object."`
}

// Share is a project that can use an object of another one.
type Share struct {
	ProjectRef string `json:"projectRef,omitempty" ref:"Project" doc:"The Project; or use projectID."`
	ProjectID  string `json:"projectID,omitempty" rule:"max=64,pattern=^[0-9a-zA-Z-]+$" doc:"ID of the project, if the credentials cannot look up other projects; or use projectRef."`
}

// sharedWith is the path of the field.
var sharedWith = table.Path("sharedWith")

// sharing is a spec with [Shares].
type sharing interface{ shares() *Shares }

func (s *Shares) shares() *Shares { return s }

// sharesIn returns the shares of a spec; nil if it has no such field.
func sharesIn(spec any) *Shares {
	if s, ok := spec.(sharing); ok {
		return s.shares()
	}
	return nil
}

// sharesList is the collection that shows with which projects objects are shared.
const sharesList = cloud.Network + "/rbac-policies"

// joinsShares returns [sharesList] for a manifest that says with which projects its object is shared, and nothing for other manifests, which are
// not compared with it.
func joinsShares[Spec any](spec *Spec) []string {
	if s := sharesIn(spec); s != nil && s.SharedWith != nil {
		return []string{sharesList}
	}
	return nil
}

// any reports whether an object is shared with any single project.
func (s *Shares) any() bool { return s != nil && len(s.SharedWith) > 0 }

func (s *Shares) validate(r *kind.Report) {
	if s == nil {
		return
	}
	for i, one := range s.SharedWith {
		if (one.ProjectRef == "") == (one.ProjectID == "") {
			r.Problem(fmt.Sprintf("%s[%d]", sharedWith, i), "needs either projectRef or projectID", "give one of them")
		}
	}
}

// ids are the IDs of the projects, once each.
func (s *Shares) ids(lookup func(kind, name string) kind.Ref) []string {
	ids := make([]string, 0, len(s.SharedWith))
	for _, one := range s.SharedWith {
		id := one.ProjectID
		if one.ProjectRef != "" {
			id = table.ID(lookup("Project", one.ProjectRef))
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// diff compares the shares with those in the cloud, if the cloud has RBAC policies for such
// objects.
func (s *Shares) diff(have *Shares, lookup func(kind, name string) kind.Ref, c *kind.Changes) {
	switch {
	case s == nil || s.SharedWith == nil:
	case have.SharedWith == nil:
		c.Note(sharedWith, "the field has no effect: this cloud has no RBAC policies for this kind of object")
	default:
		kind.Set(c, sharedWith, have.ids(nil), s.ids(lookup), kind.InPlace)
	}
}
