// Package servergroup is the kind ServerGroup: which servers the scheduler
// keeps together or apart (Nova), in K-ORC's vocabulary.
//
// Nova keeps nothing of a server group but its name and policy, and can change
// neither: there is no description, no metadata, no tag. So the mark of the
// owner is the end of the name, "web [stackreeve:prod:ServerGroup/web]", and it
// does not say what was last applied.
package servergroup

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a server group shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/servergroup_types.go); names are shorter by what the mark
// takes.
type Spec struct {
	Name   *string `json:"name,omitempty" rule:"immutable,min=1,max=190" doc:"Name in the cloud, before the mark of the owner; metadata.name if left out."`
	Policy string  `json:"policy" rule:"required,immutable,enum=affinity|anti-affinity|soft-affinity|soft-anti-affinity" doc:"How the scheduler places the members."`
	Rules  *Rules  `json:"rules,omitempty" rule:"immutable" doc:"Particulars of the policy."`
}

// Rules are the particulars of a policy.
type Rules struct {
	MaxServerPerHost int `json:"maxServerPerHost,omitempty" rule:"min=1" doc:"How many members may share a host, with the policy anti-affinity."`
}

// Filter says which existing server group is meant.
type Filter struct {
	Name *string `json:"name,omitempty" doc:"Exact name."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

// State is a server group as Nova shows it. Before 2.64 it has policies instead
// of policy and rules, before 2.13 no project.
type State struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Policy    string   `json:"policy"`
	Policies  []string `json:"policies"`
	ProjectID *string  `json:"project_id"`
	UserID    string   `json:"user_id"`
	Rules     struct {
		MaxServerPerHost int `json:"max_server_per_host"`
	} `json:"rules"`
}

func (s *State) policy() string {
	if s.Policy == "" && len(s.Policies) > 0 {
		return s.Policies[0]
	}
	return s.Policy
}

type rules struct{}

// Kind is the kind ServerGroup over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "ServerGroup", Service: cloud.Compute, FixedMark: true,
		Unmark: "the mark is the end of the name, which Nova cannot change: openstack server group delete <id>",
		Doc:    "Servers that the scheduler keeps together or apart (Nova). Its name in the cloud ends in the mark of its owner, because Nova has no other place for it.",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string {
	name := cloud.Name(w.Spec.Name, w.Key.Name) + " " + cloud.MarkText(w.Mark)
	if w.Mark.Keep {
		name += keepSuffix
	}
	return name
}

// keepSuffix ends the name of a group that outlives its manifest.
const keepSuffix = " keep"

// unmarked takes a name apart into the user's and the mark; nil when there is
// none.
func unmarked(name string) (user string, mark *kind.Mark) {
	whole := name
	name, keep := strings.CutSuffix(name, keepSuffix)
	at := strings.LastIndex(name, " [")
	if at < 0 {
		return whole, nil
	}
	if mark = cloud.MarkInText(name[at+1:]); mark == nil {
		return whole, nil
	}
	return name[:at], kind.Claimed(append(kind.OwnersIn(name[:at]), mark.Owner), mark.Applied, keep)
}

func (rules) Validate(s *Spec, r *kind.Report) {
	if s.Rules != nil && s.Rules.MaxServerPerHost > 0 && s.Policy != "anti-affinity" {
		r.Problem("spec.resource.rules.maxServerPerHost", "is given with the policy "+s.Policy, "use it with anti-affinity, or remove it")
	}
}

func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	name, mark := unmarked(have.Name)
	if w.Spec.Name != nil || !w.WasCalled(name) {
		kind.Fixed(c, "spec.resource.name", name, cloud.Name(w.Spec.Name, w.Key.Name))
	}
	if mark != nil && mark.Keep != w.Mark.Keep {
		c.Note("metadata.annotations", "came after the group was made, and Nova cannot write it down: "+ending(mark.Keep)+"; to change that, delete the group and have it made anew")
	}
	kind.Fixed(c, "spec.resource.policy", have.policy(), w.Spec.Policy)
	kind.Fixed(c, "spec.resource.rules.maxServerPerHost", have.Rules.MaxServerPerHost, maxPerHost(w.Spec))
}

func ending(keep bool) string {
	if keep {
		return "the group stays when its manifest goes"
	}
	return "the group goes with its manifest"
}

func maxPerHost(s *Spec) int {
	if s.Rules == nil {
		return 0
	}
	return s.Rules.MaxServerPerHost
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	name, _ := unmarked(have.Name)
	return cloud.Is(w.Spec.Name, have.Name) || cloud.Is(w.Spec.Name, name)
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name      string         `json:"name"`
	Policy    string         `json:"policy"`
	ProjectID string         `json:"projectID,omitempty"`
	UserID    string         `json:"userID,omitempty"`
	Rules     *ObservedRules `json:"rules,omitempty"`
}

// ObservedRules are the particulars of a policy.
type ObservedRules struct {
	MaxServerPerHost int `json:"maxServerPerHost"`
}

func (rules) Status(s *State) any {
	name, _ := unmarked(s.Name)
	o := Observed{Name: name, Policy: s.policy(), ProjectID: cloud.Or(s.ProjectID, ""), UserID: s.UserID}
	if s.Rules.MaxServerPerHost > 0 {
		o.Rules = &ObservedRules{s.Rules.MaxServerPerHost}
	}
	return o
}

// withRules is the microversion from which a group has one policy and rules.
const withRules = "2.64"

type driver struct{ c *cloud.Client }

func (d driver) live(s *State) kind.Live[*State] {
	_, mark := unmarked(s.Name)
	return kind.Live[*State]{ID: s.ID, Name: s.Name, Mark: mark, Phase: kind.Ready, State: s,
		Mine: cloud.Or(s.ProjectID, d.c.ProjectID) == d.c.ProjectID}
}

func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	version, err := d.c.Microversion(ctx, cloud.Compute, withRules)
	if err != nil {
		return nil, err
	}
	list, err := cloud.List[State](ctx, d.c, cloud.Call{Service: cloud.Compute, Path: "os-server-groups", Microversion: version}, "server_groups")
	if err != nil {
		return nil, err
	}
	out := make([]kind.Live[*State], len(list))
	for i := range list {
		out[i] = d.live(&list[i])
	}
	return out, nil
}

func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	version, err := d.c.Microversion(ctx, cloud.Compute, withRules)
	if err != nil {
		return kind.Live[*State]{}, err
	}
	group := map[string]any{"name": rules{}.Name(w)}
	most := maxPerHost(w.Spec)
	switch {
	case cloud.AtLeast(version, withRules):
		group["policy"] = w.Spec.Policy
		if most > 0 {
			group["rules"] = map[string]any{"max_server_per_host": most}
		}
	case most > 0:
		_, err := d.c.Require(ctx, cloud.Compute, withRules, "rules of server groups")
		return kind.Live[*State]{}, err
	default:
		group["policies"] = []string{w.Spec.Policy}
	}
	var answer struct {
		Group State `json:"server_group"`
	}
	err = d.c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "os-server-groups",
		Body: map[string]any{"server_group": group}, Into: &answer, Microversion: version})
	if err != nil {
		return kind.Live[*State]{}, err
	}
	return d.live(&answer.Group), nil
}

// Update is only ever asked to mark a group that shall be adopted.
func (driver) Update(context.Context, kind.Want[Spec], kind.Live[*State], []kind.Change) error {
	return fmt.Errorf("%w: Nova cannot rename a server group, so it cannot be marked as ours; use it with managementPolicy: unmanaged", kind.ErrRejected)
}

func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	err := d.c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "os-server-groups/" + have.ID})
	return err == nil, err
}
