package securitygroup

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type driver = *define.Driver[Spec, Filter, More]

// create makes the group, then its rules, and finally marks it as complete. If the agent is
// killed in between, the mark shows that the group is incomplete. A group also stays unfinished
// while some of its remote groups do not exist.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	made, err := d.Begin(ctx, w)
	if err != nil {
		return nil, err
	}
	rules, err := setRules(ctx, d, w, made)
	if err != nil {
		return nil, err
	}
	if err := d.Share(ctx, w, made); err != nil {
		return nil, err
	}
	if len(possible(w, made.ID)) < len(w.Spec.Rules) {
		w.Mark.Applied = kind.Unfinished
	}
	err = d.Finish(ctx, w, made)
	made.More.Rules = rules
	return made, err
}

// update writes the rules first. That raises the revision of the group, so update reads the group
// again before it writes the other fields. An update begins only when all remote groups are ready (package decide, await.go), so it leaves
// out no rule.
func update(ctx context.Context, d driver, change define.Change[Spec, More]) error {
	if kind.Has(change.Changes, "spec.resource.rules") {
		if _, err := setRules(ctx, d, change.Want, change.Have.State); err != nil {
			return err
		}
		var now struct {
			Group define.Standard `json:"security_group"`
		}
		if err := d.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodGet, Path: "security-groups/" + change.Have.ID, Into: &now}); err != nil {
			return err
		}
		change.Now, change.Raised = &now.Group, false
	}
	return d.Write(ctx, change)
}

// possible returns the rules of the manifest whose remote group exists. They refer to the remote
// group by its ID. id is the ID of the group itself, for rules that refer to it.
func possible(w typed.Want[Spec], id string) (list []Rule) {
	for _, rule := range w.Spec.Rules {
		if rule.RemoteAddressGroupRef != nil {
			ref := w.Ref("AddressGroup", *rule.RemoteAddressGroupRef)
			if ref.ID == "" {
				continue // without a remote group, the rule would admit everybody
			}
			rule.RemoteAddressGroupRef = &ref.ID
		}
		if rule.RemoteGroupRef != nil {
			ref := w.Ref("SecurityGroup", *rule.RemoteGroupRef)
			if ref.Key == w.Key {
				ref.ID = id
			} else if !ref.Ready {
				continue
			}
			rule.RemoteGroupRef = &ref.ID
		}
		list = append(list, rule)
	}
	return list
}

// setRules adds missing rules, removes surplus ones, and returns the rules that exist afterwards.
func setRules(ctx context.Context, d driver, w typed.Want[Spec], s *state) ([]CloudRule, error) {
	want := possible(w, s.ID)
	e := compare(managed(w, s.More.Rules, want), want)
	if err := remove(ctx, d, e.before); err != nil {
		return nil, err
	}
	added, err := add(ctx, d, s.ID, s.Project, e.add)
	if err != nil {
		return nil, err
	}
	return append(e.kept, added...), remove(ctx, d, e.after)
}

func remove(ctx context.Context, d driver, list []CloudRule) error {
	for _, r := range list {
		err := d.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "security-group-rules/" + r.ID})
		if err != nil && !errors.Is(err, kind.ErrGone) {
			return fmt.Errorf("remove rule %s: %w", &r, err)
		}
	}
	return nil
}

// add creates the rules in one request. Neutron creates either all of them or none.
func add(ctx context.Context, d driver, group, project string, list []Rule) ([]CloudRule, error) {
	if len(list) == 0 {
		return nil, nil
	}
	bodies := make([]map[string]any, len(list))
	for i := range list {
		bodies[i] = table.Body(&list[i])
		bodies[i]["security_group_id"] = group
		if project != d.Client.ProjectID {
			bodies[i]["project_id"] = project // otherwise Neutron creates the rules in the agent's own project
		}
	}
	var answer table.Attributes
	var made More
	err := d.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "security-group-rules",
		Body: map[string]any{"security_group_rules": bodies}, Into: &answer})
	if err == nil {
		err = table.Read(answer, &made)
	}
	if err != nil {
		return nil, fmt.Errorf("add rules: %w", err)
	}
	return made.Rules, nil
}
