package define

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Shares is the field by which an object of the network service can be used by single
// other projects. In Neutron these are RBAC policies, objects of their own that nothing
// can be written on, neither a mark nor a name. They need none: Neutron lets nobody but
// the object's project and administrators make them, they go with the object, and that
// bears the mark. So they are a part of the object, as rules are of a security group.
type Shares struct {
	SharedWith []Share `json:"sharedWith,omitempty" rule:"max=256" doc:"All projects that can use it besides its own; none if empty, not managed if left out, since people share it, too. Neutron stops sharing only what that project does not use."`
}

// Share is a project that can use what another one has.
type Share struct {
	ProjectRef string `json:"projectRef,omitempty" ref:"Project" doc:"The Project; or use projectID."`
	ProjectID  string `json:"projectID,omitempty" rule:"max=64,pattern=^[0-9a-zA-Z-]+$" doc:"ID of the project, for who cannot look up those of others; or use projectRef."`
}

// Sharing says what objects of a collection that can be shared are called in RBAC
// policies, and which extension a cloud must offer for it.
type Sharing struct{ Type, Extension string }

// sharing is a spec with [Shares].
type sharing interface{ shares() *Shares }

func (s *Shares) shares() *Shares { return s }

// sharesIn are those of a spec; nil where it has no such field.
func sharesIn(spec any) *Shares {
	if s, ok := spec.(sharing); ok {
		return s.shares()
	}
	return nil
}

// any reports whether the object is to be shared with any other project by name.
func (s *Shares) any() bool { return s != nil && len(s.SharedWith) > 0 }

var sharedWith = table.Path("sharedWith")

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

// ids are those of the projects, once each.
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

// diff compares with what the cloud has, where it has such policies.
func (s *Shares) diff(have *Shares, lookup func(kind, name string) kind.Ref, c *kind.Changes) {
	switch {
	case s == nil || s.SharedWith == nil:
	case have.SharedWith == nil:
		c.Note(sharedWith, "it is left out: this cloud has no RBAC policies of such objects")
	default:
		kind.Set(c, sharedWith, have.ids(nil), s.ids(lookup), kind.InPlace)
	}
}

// setTo is what the cloud has once it was written.
func (s *Shares) setTo(ids []string) {
	s.SharedWith = make([]Share, len(ids))
	for i, id := range ids {
		s.SharedWith[i].ProjectID = id
	}
}

// show puts into a status with which projects an object is shared.
func (s *Shares) show(shown table.Shown) {
	if s.any() {
		shown["sharedWith"] = s.SharedWith
	}
}

// policy is an RBAC policy that shares an object with one project.
type policy struct {
	ID     string `json:"id"`
	Object string `json:"object_id"`
	Target string `json:"target_tenant"`
}

// listPolicies finds the RBAC policies by which objects are shared with single projects: those of
// one object, or of all of any type, which several kinds read. Those for everybody are what the
// attribute shared says.
func listPolicies(ctx context.Context, c *cloud.Client, object string) ([]policy, error) {
	path := "rbac-policies?action=access_as_shared"
	if object != "" {
		path += "&object_id=" + url.QueryEscape(object)
	}
	list, err := cloud.List[policy](ctx, c, cloud.Call{Service: cloud.Network, Path: path}, "rbac_policies")
	return slices.DeleteFunc(list, func(p policy) bool { return p.Target == "*" }), err
}

// join fills in with which projects objects of the own project are shared: one list for
// all of them, and none where there are no such objects.
func (s Sharing) join(ctx context.Context, c *cloud.Client, own map[string]*Shares) error {
	if s.Type == "" || len(own) == 0 {
		return nil
	}
	if has, err := c.HasExtension(ctx, s.Extension); err != nil || !has {
		return err
	}
	policies, err := listPolicies(ctx, c, "")
	if err != nil {
		return err
	}
	for _, shares := range own {
		shares.SharedWith = []Share{}
	}
	for _, p := range policies {
		if shares := own[p.Object]; shares != nil {
			shares.SharedWith = append(shares.SharedWith, Share{ProjectID: p.Target})
		}
	}
	return nil
}

// set shares an object with these projects and no others. Who is to have it gets it
// before others lose it.
func (s Sharing) set(ctx context.Context, c *cloud.Client, id string, projects []string) error {
	if has, err := c.HasExtension(ctx, s.Extension); err != nil || !has {
		return err // the next plan notes it
	}
	there, err := listPolicies(ctx, c, id)
	if err != nil {
		return err
	}
	for _, project := range projects {
		if slices.ContainsFunc(there, func(p policy) bool { return p.Target == project }) {
			continue
		}
		body := map[string]any{"rbac_policy": map[string]any{"object_type": s.Type, "object_id": id, "action": "access_as_shared", "target_tenant": project}}
		if err := c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "rbac-policies", Body: body}); err != nil {
			return fmt.Errorf("share with project %s: %w", project, err)
		}
	}
	for _, p := range there {
		if slices.Contains(projects, p.Target) {
			continue
		}
		err := c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "rbac-policies/" + p.ID})
		if err != nil && !errors.Is(err, kind.ErrGone) {
			return fmt.Errorf("stop sharing with project %s: %w", p.Target, err)
		}
	}
	return nil
}
