// Package quota is the kind Quota: how much of a service a project may use (Nova, Cinder,
// Neutron, Octavia, Manila).
//
// Every project has one set of quotas in each service, which nobody makes and which has no
// place for a mark. So the mark is kept on the project, as an attribute of its own in
// Keystone, and only on a project that itself bears the mark of this stack. It is written
// before the quotas are and taken off after they were reset, and goes with the project.
// The quotas of projects that are only imported are refused: two stacks, or a stack and
// an administrator, would undo each other's changes without a trace. For the same reason
// nothing is adopted: what bears no mark is not looked at, and a manifest sets what it says.
//
// It is no table over a collection: there are five services with a path and a body each, and
// the mark is elsewhere. That is what its lines are.
package quota

import (
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is what a project may use.
type Spec struct {
	ProjectRef string         `json:"projectRef" api:"project" show:"projectID" rule:"required,immutable,min=1" ref:"Project" doc:"Project that the quotas are of. The same stack must manage it."`
	Service    string         `json:"service" api:"service" rule:"required,immutable,enum=compute|block-storage|network|load-balancer|shared-file-system" doc:"Service whose quotas they are."`
	Limits     map[string]int `json:"limits" api:"limits" rule:"required,min=1" doc:"Quotas by the names that the service has for them, such as cores or gigabytes; -1 is no limit. Others are not managed. Without the manifest, all quotas of the service are the cloud's defaults again, also those that others have set." example:"{cores: 20}"`
}

// More is what only the service says.
type More struct{}

// Filter says which quotas are meant.
type Filter struct {
	ProjectRef string `json:"projectRef,omitempty" ref:"Project" doc:"Project that the quotas are of."`
	Service    string `json:"service,omitempty" rule:"enum=compute|block-storage|network|load-balancer|shared-file-system" doc:"Service whose quotas they are."`
}

type (
	want  = typed.Want[Spec]
	live  = typed.Live[state]
	rules struct{}
	// state are the quotas of one service, all of them, with the ID of the project.
	state struct{ table.Object[Spec, More] }
)

// Kind returns the kind Quota. c may be nil where only its rules are needed. Its ID is the
// service and the project's ID.
func Kind(c *cloud.Client) *kind.Kind {
	r, d := rules{}, driver{c}
	return typed.Kind[Spec, Filter, state]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "Quota", Service: cloud.Identity, UniqueNames: true, IDIsName: true, Scope: kind.OfCloud,
			Loss:   []string{"all quotas of the service that the project has of its own: the cloud's defaults hold again"},
			Unmark: "the mark is the attribute " + notePrefix + "… of the project: PATCH that with null",
			Doc: "How much of a service a project may use (Nova, Cinder, Neutron, Octavia, Manila). Only an administrator can set it. The project must be managed by the same stack, " +
				"which keeps the mark of the owner there: a set of quotas has no place for one.",
		},
		Validate: r.Validate, Name: r.Name, Diff: r.Diff, Match: r.Match, Status: r.Status,
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}.Resource()
}

// Name is that of [typed.Kind]: the ID, "" while the project is not there.
func (rules) Name(w want) string { return name(w.Spec.Service, w.Ref("Project", w.Spec.ProjectRef).ID) }

func name(service, project string) string {
	if project == "" {
		return ""
	}
	return service + "/" + project
}

// Validate is that of [typed.Kind].
func (rules) Validate(s *Spec, r *kind.Report) {
	for _, name := range slices.Sorted(maps.Keys(s.Limits)) {
		switch at := "spec.resource.limits." + name; {
		case s.Limits[name] < -1 || s.Limits[name] > 1<<31-1:
			r.Problem(at, "is no limit", "give -1 for none, or a number up to 2147483647")
		case name == "" || len(name) > 255 || strings.ContainsAny(name, "/?# \t\n") || name == "id" || name == "force":
			r.Problem(at, "is no name of a quota", "see openstack quota show")
		}
	}
}

// Diff is that of [typed.Kind].
func (rules) Diff(w want, have *state, c *kind.Changes) {
	seen := map[string]int{}
	for name := range w.Spec.Limits {
		if limit, ok := have.Spec.Limits[name]; ok {
			seen[name] = limit
		}
	}
	kind.Costs(c, "spec.resource.limits", seen, w.Spec.Limits, kind.InPlace)
	if w.Spec.Service != have.Spec.Service {
		kind.Fixed(c, "spec.resource.service", have.Spec.Service, w.Spec.Service)
	}
	if project := w.Ref("Project", w.Spec.ProjectRef); project.ID != have.Spec.ProjectRef {
		kind.Fixed(c, "spec.resource.projectRef", have.Spec.ProjectRef, table.ID(project))
	}
}

// Match is that of [typed.Kind].
func (rules) Match(w typed.Want[Filter], have *state) bool { return have.Object.Match(w.Spec, w.Ref) }

// Status is that of [typed.Kind].
func (rules) Status(have *state) any {
	shown := table.Shown{}
	table.Show(&have.Spec, shown)
	return shown
}
