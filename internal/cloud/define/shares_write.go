package define

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Sharing describes how objects of a collection can be shared. Type is the type of the object in
// RBAC policies. Extension is the extension that a cloud needs for it.
type Sharing struct{ Type, Extension string }

// policy is an RBAC policy that shares an object with one project.
type policy struct {
	ID     string `json:"id"`
	Object string `json:"object_id"`
	Target string `json:"target_tenant"`
}

// policies returns the RBAC policies that share objects with single projects. It returns the
// policies of one object, or of all objects of every type if object is "": several kinds use that
// list. Policies for everybody are left out, because the attribute shared shows them. offered is
// false if the cloud has no such policies.
func (s Sharing) policies(ctx context.Context, c *cloud.Client, object string) (list []policy, offered bool, err error) {
	if offered, err = c.HasExtension(ctx, s.Extension); err != nil || !offered {
		return nil, false, err
	}
	path := "rbac-policies?action=access_as_shared"
	if object != "" {
		path += "&object_id=" + url.QueryEscape(object)
	}
	list, err = cloud.List[policy](ctx, c, cloud.Call{Service: cloud.Network, Path: path}, "rbac_policies")
	return slices.DeleteFunc(list, func(p policy) bool { return p.Target == "*" }), err == nil, err
}

// joinShares sets SharedWith of each object that the stack's project owns. It reads one list of RBAC
// policies for all of these objects. If the project owns none of them, it reads no list.
func (d *Driver[Spec, Filter, More]) joinShares(ctx context.Context, all []*State[Spec, More]) error {
	own := map[string]*Shares{}
	for _, one := range all {
		if s := sharesIn(&one.Spec); s != nil && one.Project == d.Client.ProjectID {
			own[one.ID] = s
		}
	}
	if len(own) == 0 {
		return nil
	}
	policies, offered, err := d.of.Sharing.policies(ctx, d.Client, "")
	if !offered {
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

// Share shares an object with the projects in the manifest's list, if it has such a list.
func (d *Driver[Spec, Filter, More]) Share(ctx context.Context, w typed.Want[Spec], s *State[Spec, More]) error {
	asked := sharesIn(w.Spec)
	if asked == nil || asked.SharedWith == nil {
		return nil
	}
	have := sharesIn(&s.Spec)
	have.SharedWith = []Share{}
	for _, id := range asked.ids(w.Ref) {
		have.SharedWith = append(have.SharedWith, Share{ProjectID: id})
	}
	return d.of.Sharing.set(ctx, d.Client, s.ID, asked.ids(w.Ref))
}

// set shares an object with exactly these projects. New projects get access before others lose it.
// If the cloud has no such policies, the next plan notes it.
func (s Sharing) set(ctx context.Context, c *cloud.Client, id string, projects []string) error {
	there, offered, err := s.policies(ctx, c, id)
	if !offered {
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
