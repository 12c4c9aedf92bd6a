package securitygroup

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

var resource = cloud.NeutronKind{Collection: "security-groups", Singular: "security_group"}

type driver struct{ c *cloud.Client }

// live takes rules that name another group for loose: they go with that group.
// (neutron/db/models/securitygroup.py: remote_group_id, ondelete CASCADE)
func (d driver) live(s *State) kind.Live[*State] {
	live := cloud.Live(d.c, s.NeutronBase, s)
	for _, r := range s.Rules {
		if r.RemoteGroupID != "" && r.RemoteGroupID != s.ID {
			live.Uses, live.Loose = append(live.Uses, r.RemoteGroupID), append(live.Loose, r.RemoteGroupID)
		}
	}
	return live
}

// List returns the groups with their rules, those that others share included.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	return cloud.ListLive(ctx, d.c, resource, "", d.live)
}

// Create makes the group, then its rules, and says last that all is done. A kill
// in between leaves a group that is known to be half-made; one whose remote groups
// are not all there yet stays unfinished.
func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	if err := w.Spec.ProjectRef.Check(d.c, w.Ref); err != nil {
		return kind.Live[*State]{}, err
	}
	body := map[string]any{"name": rules{}.Name(w)}
	cloud.Put(body, "stateful", w.Spec.Stateful)
	made, err := cloud.CreateNeutron[State](ctx, d.c, resource, body, cloud.Begun(w.Mark), labels(w.Spec))
	if err != nil {
		return kind.Live[*State]{}, err
	}
	if made.Rules, err = d.setRules(ctx, w, made); err != nil {
		return kind.Live[*State]{}, err
	}
	mark := w.Mark
	if len(possible(w, made.ID)) < len(w.Spec.Rules) {
		mark.Applied = kind.Unfinished
	}
	if err := cloud.FinishNeutron(ctx, d.c, resource, &made.NeutronBase, nil, nil, mark, labels(w.Spec)); err != nil {
		return kind.Live[*State]{}, err
	}
	live := d.live(made)
	live.Mark = &mark
	return live, nil
}

// Update sets the rules first. They raise the group's revision, so it is read
// again before the rest is written.
func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	state := *have.State
	if kind.Has(changes, "spec.resource.rules") {
		if _, err := d.setRules(ctx, w, &state); err != nil {
			return err
		}
		var now struct {
			Group State `json:"security_group"`
		}
		if err := d.c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodGet, Path: "security-groups/" + have.ID, Into: &now}); err != nil {
			return err
		}
		state = now.Group
	}
	fields := cloud.Changed(changes, map[string]cloud.Attribute{"spec.resource.name": {Name: "name", Value: rules{}.Name(w)}})
	return cloud.UpdateNeutron(ctx, d.c, resource, state.NeutronBase, changes, fields, w.Mark, labels(w.Spec))
}

func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	return cloud.DeleteNeutron(ctx, d.c, resource, have.ID)
}

// possibleRule is a rule whose remote group, if it has one, is there.
type possibleRule struct {
	*Rule
	group string // ID, "" for none
}

// possible are the rules of the manifest that the group with that ID can have now.
func possible(w kind.Want[Spec], id string) (list []possibleRule) {
	for i := range w.Spec.Rules {
		rule := possibleRule{Rule: &w.Spec.Rules[i]}
		switch ref := w.Ref("SecurityGroup", cloud.Or(rule.RemoteGroupRef, "")); {
		case ref.Key == w.Key:
			rule.group = id
		case ref.Name != "" && !ref.Ready:
			continue
		default:
			rule.group = ref.ID
		}
		list = append(list, rule)
	}
	return list
}

// setRules adds what is missing, removes what is too much, and answers with the
// rules that are there then.
func (d driver) setRules(ctx context.Context, w kind.Want[Spec], s *State) ([]stateRule, error) {
	e := compare(s.Rules, possible(w, s.ID))
	if err := d.remove(ctx, e.before); err != nil {
		return nil, err
	}
	added, err := d.add(ctx, s.ID, e.add)
	if err != nil {
		return nil, err
	}
	if err := d.remove(ctx, e.after); err != nil {
		return nil, err
	}
	return append(without(without(s.Rules, e.before), e.after), added...), nil
}

func (d driver) remove(ctx context.Context, list []stateRule) error {
	for _, r := range list {
		err := d.c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "security-group-rules/" + r.ID})
		if err != nil && !errors.Is(err, kind.ErrGone) {
			return fmt.Errorf("remove rule %s: %w", r.key().text(), err)
		}
	}
	return nil
}

// add makes the rules in one request, which Neutron carries out wholly or not
// at all.
func (d driver) add(ctx context.Context, group string, list []possibleRule) ([]stateRule, error) {
	if len(list) == 0 {
		return nil, nil
	}
	bodies := make([]map[string]any, len(list))
	for i, r := range list {
		bodies[i] = r.body(group, r.group)
	}
	var answer struct {
		Rules []stateRule `json:"security_group_rules"`
	}
	err := d.c.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "security-group-rules",
		Body: map[string]any{"security_group_rules": bodies}, Into: &answer})
	if err != nil {
		return nil, fmt.Errorf("add rules: %w", err)
	}
	return answer.Rules, nil
}

func (rule *Rule) body(group, remoteGroup string) map[string]any {
	body := map[string]any{
		"security_group_id": group, "direction": cloud.Or(rule.Direction, "ingress"), "ethertype": rule.Ethertype,
		"description": cloud.Or(rule.Description, ""),
	}
	cloud.Put(body, "protocol", rule.Protocol)
	cloud.Put(body, "remote_ip_prefix", rule.RemoteIPPrefix)
	if remoteGroup != "" {
		body["remote_group_id"] = remoteGroup
	}
	if rule.PortRange != nil {
		body["port_range_min"], body["port_range_max"] = rule.PortRange.Min, rule.PortRange.Max
	}
	return body
}
