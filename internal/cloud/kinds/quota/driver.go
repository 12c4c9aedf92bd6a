package quota

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

type driver struct{ client *cloud.Client }

// place says where a service has the quotas of projects: the path, and the name of a set of quotas in request bodies.
type place struct{ path, singular string }

var places = map[string]place{
	cloud.Compute: {"os-quota-sets", "quota_set"}, cloud.BlockStorage: {"os-quota-sets", "quota_set"},
	cloud.Network: {"quotas", "quota"}, cloud.LoadBalancer: {"lbaas/quotas", "quota"},
	cloud.SharedFileSystem: {"os-quota-sets", "quota_set"}, // up to microversion 2.6, so no microversion is requested
}

// notePrefix is the prefix of project attributes that hold marks. Each attribute holds the mark for the quotas of one service.
// Keystone replaces hyphens in such names by underscores.
const notePrefix = mark.ExtraKey + "_quota_"

func noteKey(service string) string { return notePrefix + strings.ReplaceAll(service, "-", "_") }

type attributes table.Attributes

// text returns the value of an attribute that is a text, and "" for any other attribute.
func (a attributes) text(name string) (text string) {
	_ = json.Unmarshal(a[name], &text) // a mark is always a text
	return text
}

// List implements [typed.Kind]: it reads the quotas that have a mark, with one request for each project and service.
func (d driver) List(ctx context.Context, asked kind.Listing) ([]live, error) {
	ctx = cloud.At(ctx, asked.Shared)
	projects, err := cloud.List[table.Attributes](ctx, d.client, cloud.Call{Service: cloud.Identity, Path: "projects"}, "projects")
	if err != nil {
		return nil, err
	}
	var all []live
	for _, listed := range projects {
		project := attributes(listed)
		for _, service := range slices.Sorted(maps.Keys(places)) {
			c, marked := mark.ReadIdentity(project.text(noteKey(service)))
			if !marked || c.Holder() != mark.HolderOf(project, "Project") {
				continue // only the owner of the project may manage the project's quotas
			}
			limits, err := d.limits(ctx, service, project.text("id"))
			if err != nil {
				return nil, err
			}
			one := d.live(service, project.text("id"), limits)
			one.Mark, one.InOwnProject = c.Mark, c.Project == d.client.ProjectID
			all = append(all, one)
		}
	}
	return all, nil
}

func (d driver) live(service, project string, limits map[string]int) live {
	s := &state{}
	s.Spec = Spec{ProjectRef: project, Service: service, Limits: limits}
	id := name(service, project)
	return live{Live: kind.Live{ID: id, Name: id, Phase: kind.Ready, InOwnProject: true, Uses: []string{project}}, State: s}
}

// limits are all quotas of a project for one service.
func (d driver) limits(ctx context.Context, service, project string) (map[string]int, error) {
	var answer map[string]attributes
	if err := d.send(ctx, http.MethodGet, service, project, nil, &answer); err != nil {
		return nil, err
	}
	return limitsIn(answer[places[service].singular]), nil
}

func limitsIn(set attributes) map[string]int {
	limits := map[string]int{}
	for name, value := range set {
		var limit int
		if json.Unmarshal(value, &limit) == nil && string(value) != "null" {
			limits[name] = limit
		}
	}
	return limits
}

func (d driver) send(ctx context.Context, method, service, project string, body, into any) error {
	return d.client.Do(ctx, cloud.Call{Service: service, Method: method, Path: places[service].path + "/" + project, Body: body, Into: into})
}

// Create implements [typed.Kind]. It writes the mark first. Until the quotas are set, the mark says that they are unfinished.
func (d driver) Create(ctx context.Context, w want) (live, error) {
	service, project := w.Spec.Service, w.Ref("Project", w.Spec.ProjectRef).ID
	if project == "" {
		return live{}, fmt.Errorf("%w: the project does not exist", kind.ErrNotYet)
	}
	if err := d.requireOwnMark(ctx, project, w.Mark); err != nil {
		return live{}, err
	}
	have, err := d.limits(ctx, service, project)
	if err == nil {
		err = requireNames(service, have, w.Spec.Limits)
	}
	if err != nil {
		return live{}, err
	}
	begun := w.Mark
	begun.Applied = kind.Unfinished
	if err := d.note(ctx, service, project, mark.IdentityText(begun, d.client.ProjectID)); err != nil {
		return live{}, err
	}
	if err := d.set(ctx, service, project, w); err != nil {
		return live{}, err
	}
	maps.Copy(have, w.Spec.Limits)
	made, m := d.live(service, project, have), w.Mark
	made.Mark = &m
	return made, nil
}

// Update implements [typed.Kind].
func (d driver) Update(ctx context.Context, w want, have live, _ []kind.Change) error {
	if err := requireNames(have.State.Spec.Service, have.State.Spec.Limits, w.Spec.Limits); err != nil {
		return err
	}
	return d.set(ctx, have.State.Spec.Service, have.State.Spec.ProjectRef, w)
}

// set writes the quotas, and then the mark.
func (d driver) set(ctx context.Context, service, project string, w want) error {
	var answer map[string]attributes
	if err := d.send(ctx, http.MethodPut, service, project, map[string]any{places[service].singular: w.Spec.Limits}, &answer); err != nil {
		return err
	}
	if err := requireWritten(service, limitsIn(answer[places[service].singular]), w.Spec.Limits); err != nil {
		return err
	}
	return d.note(ctx, service, project, mark.IdentityText(w.Mark, d.client.ProjectID))
}

// Delete implements [typed.Kind]. It resets the quotas, and then removes the mark. If others have already reset the quotas, that is no
// error.
func (d driver) Delete(ctx context.Context, have live) (gone bool, err error) {
	service, project := have.State.Spec.Service, have.State.Spec.ProjectRef
	for _, err := range []error{d.send(ctx, http.MethodDelete, service, project, nil, nil), d.note(ctx, service, project, nil)} {
		if err != nil && !errors.Is(err, kind.ErrGone) {
			return false, err
		}
	}
	return true, nil
}

// Unmark implements [typed.Kind].
func (d driver) Unmark(ctx context.Context, have live) error {
	return d.note(ctx, have.State.Spec.Service, have.State.Spec.ProjectRef, nil)
}

// note writes a text as the mark of the quotas, which is an attribute of their project. nil removes the mark.
func (d driver) note(ctx context.Context, service, project string, text any) error {
	return d.client.Do(ctx, cloud.Call{Service: cloud.Identity, Method: http.MethodPatch, Path: "projects/" + project,
		Body: map[string]any{"project": map[string]any{noteKey(service): text}}})
}

// requireOwnMark returns an error if the project itself does not have a mark of this stack.
func (d driver) requireOwnMark(ctx context.Context, project string, m kind.Mark) error {
	var answer map[string]attributes
	if err := d.client.Do(ctx, cloud.Call{Service: cloud.Identity, Method: http.MethodGet, Path: "projects/" + project, Into: &answer}); err != nil {
		return err
	}
	c, marked := mark.ReadIdentity(answer["project"].text(mark.ExtraKey))
	if marked && c.Project == d.client.ProjectID {
		ours, _ := ownertext.Parse(m.Owner)
		if o, ok := ownertext.Parse(c.Mark.Owner); ok && o.Stack == ours.Stack {
			return nil
		}
	}
	return fmt.Errorf("%w: spec.resource.projectRef: project %s is not managed by this stack, and quotas cannot have an owner mark; "+
		"manage the Project in this stack, or its quotas in the stack of the Project", kind.ErrNotYet, project)
}

// requireNames returns an error if the service has no quota of a wanted name: Cinder ignores such names without an error.
func requireNames(service string, have, want map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := have[name]; !ok {
			return fmt.Errorf("%w: spec.resource.limits.%s: the %s service has no such quota; it has %s",
				kind.ErrRejected, name, service, strings.Join(slices.Sorted(maps.Keys(have)), ", "))
		}
	}
	return nil
}

// requireWritten returns an error if the service still has other values than the agent wrote. A Nova with unified limits accepts all quotas and
// changes nothing. (nova/api/openstack/compute/quota_sets.py: update)
func requireWritten(service string, now, want map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		limit, shown := now[name]
		if !shown || limit == want[name] {
			continue
		}
		why := ""
		if service == cloud.Compute {
			why = ", this Nova uses Keystone's unified limits: set them there"
		}
		return fmt.Errorf("%w: spec.resource.limits.%s: the %s service still has %d, though it accepted %d%s", kind.ErrRejected, name, service, limit, want[name], why)
	}
	return nil
}
