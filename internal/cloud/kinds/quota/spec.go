// Package quota is the kind Quota: how much of a service a project may use (Nova, Cinder,
// Neutron, Octavia, Manila).
//
// Every project has one set of quotas in each service. Nobody creates that set, and it cannot
// have a mark. Therefore the mark is an attribute of the project in Keystone, and that project
// must itself have the mark of this stack. The mark is written before the quotas, and removed
// after they are reset. If the project is deleted, the mark is deleted with it.
//
// Quotas of a project that the stack only imports are refused. Otherwise two stacks, or a stack
// and an administrator, would undo each other's changes without a trace. For the same reason,
// quotas are never adopted: the agent does not read quotas without a mark, and a manifest sets
// only the limits that it names.
//
// The package does not use a table over a collection, because the five services differ in path
// and body, and the mark is stored in another service.
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

// Spec says how much of a service a project may use.
type Spec struct {
	ProjectRef string         `json:"projectRef" api:"project" show:"projectID" rule:"required,immutable,min=1" ref:"Project" doc:"Project of the quotas. The same stack must manage it."`
	Service    string         `json:"service" api:"service" rule:"required,immutable,enum=compute|block-storage|network|load-balancer|shared-file-system" doc:"Service of the quotas."`
	Limits     map[string]int `json:"limits" api:"limits" rule:"required,min=1" doc:"Quotas by their names in the service, such as cores or gigabytes; -1 means no limit. Quotas that are not named here are not managed. If the manifest is removed, all quotas of the service get the cloud's defaults again, even those that somebody else has set." example:"{cores: 20}"`
}

// More is empty: the service has no further fields.
type More struct{}

// Filter selects the quotas of a service.
type Filter struct {
	ProjectRef string `json:"projectRef,omitempty" ref:"Project" doc:"Project of the quotas."`
	Service    string `json:"service,omitempty" rule:"enum=compute|block-storage|network|load-balancer|shared-file-system" doc:"Service of the quotas."`
}

type (
	want  = typed.Want[Spec]
	live  = typed.Live[state]
	rules struct{}
	// state is all quotas of a project in one service. Its spec has the ID of the project.
	state struct{ table.Object[Spec, More] }
)

// Kind returns the kind Quota. c may be nil where only its rules are needed. The ID of a set of
// quotas consists of the service and the ID of the project.
func Kind(c *cloud.Client) *kind.Kind {
	r, d := rules{}, driver{c}
	return typed.Kind[Spec, Filter, state]{
		Info: kind.Info{
			Lists: []string{cloud.Identity + "/projects"}, Joins: []string{cloud.Compute + "/os-quota-sets", cloud.BlockStorage + "/os-quota-sets", cloud.Network + "/quotas"},
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "Quota", Service: cloud.Identity, UniqueNames: true, IDIsName: true, Scope: kind.OfCloud,
			Loss:   []string{"all quotas of the service that were set for the project: the cloud's defaults apply again"},
			Unmark: "the mark is the attribute " + notePrefix + "… of the project: set that attribute to null with PATCH",
			Doc: "How much of a service a project may use (Nova, Cinder, Neutron, Octavia, Manila). Only an administrator can set it. " +
				"The same stack must manage the project, because the owner mark is on the project. A set of quotas has no field for a mark.",
		},
		Validate: r.Validate, Name: r.Name, Diff: r.Diff, Match: r.Match, Status: r.Status,
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}.Resource()
}

// Name implements [typed.Kind]: the name is the ID of the set, SERVICE/PROJECT-ID. It is "" while the project does not exist.
func (rules) Name(w want) string { return name(w.Spec.Service, w.Ref("Project", w.Spec.ProjectRef).ID) }

func name(service, project string) string {
	if project == "" {
		return ""
	}
	return service + "/" + project
}

// Validate implements [typed.Kind].
func (rules) Validate(s *Spec, r *kind.Report) {
	for _, name := range slices.Sorted(maps.Keys(s.Limits)) {
		switch at := "spec.resource.limits." + name; {
		case s.Limits[name] < -1 || s.Limits[name] > 1<<31-1:
			r.Problem(at, "is no limit", "give -1 for none, or a number up to 2147483647")
		case name == "" || len(name) > 255 || strings.ContainsAny(name, "/?# \t\n") || name == "id" || name == "force":
			r.Problem(at, "is not the name of a quota", "see openstack quota show")
		}
	}
}

// Diff implements [typed.Kind].
func (rules) Diff(w want, have *state, c *kind.Changes) {
	seen := map[string]int{}
	for name := range w.Spec.Limits {
		if limit, ok := have.Spec.Limits[name]; ok {
			seen[name] = limit
		}
	}
	kind.Differs(c, "spec.resource.limits", seen, w.Spec.Limits, kind.InPlace)
	if w.Spec.Service != have.Spec.Service {
		kind.Fixed(c, "spec.resource.service", have.Spec.Service, w.Spec.Service)
	}
	if project := w.Ref("Project", w.Spec.ProjectRef); project.ID != have.Spec.ProjectRef {
		kind.Fixed(c, "spec.resource.projectRef", have.Spec.ProjectRef, table.ID(project))
	}
}

// Match implements [typed.Kind].
func (rules) Match(w typed.Want[Filter], have *state) bool { return have.Object.Match(w.Spec, w.Ref) }

// Status implements [typed.Kind].
func (rules) Status(have *state) any {
	shown := table.Shown{}
	table.Show(&have.Spec, shown)
	return shown
}
