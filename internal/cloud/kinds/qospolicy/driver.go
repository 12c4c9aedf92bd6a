package qospolicy

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// create makes the policy, then its rules, and finally marks it as complete. If the agent
// is killed in between, the mark shows that the policy is incomplete.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	made, err := d.Begin(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := setRules(ctx, d, made, rules(w.Spec)); err != nil {
		return nil, err
	}
	if err := d.Share(ctx, w, made); err != nil {
		return nil, err
	}
	err = d.Finish(ctx, w, made)
	return made, err
}

func update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	if slices.ContainsFunc(n.Changes, func(c kind.Change) bool {
		return slices.Contains([]string{"spec.resource.bandwidthLimits", "spec.resource.minimumBandwidths", "spec.resource.dscpMark"}, c.Field)
	}) {
		n.Raised = true
		if err := setRules(ctx, d, n.Have.State, rules(n.Want.Spec)); err != nil {
			return err
		}
	}
	return d.Write(ctx, n)
}

// setRules changes each rule in place, so that the rule stays in force meanwhile. Limits
// are raised and minimums lowered first, because Neutron refuses a minimum above a limit.
func setRules(ctx context.Context, d driver, s *state, want []Rule) error {
	for _, r := range s.More.Rules {
		known := r.Type == limit || r.Type == minimum || r.Type == marking
		if known && of(want, r.slot()) == nil {
			if err := send(ctx, d, http.MethodDelete, s.ID, r, r.ID); err != nil {
				return err
			}
		}
	}
	for _, first := range []bool{true, false} {
		for _, r := range want {
			have := of(s.More.Rules, r.slot())
			lower := r.Type == limit || have != nil && r.MinKbps < have.MinKbps
			if r.Type == limit && have != nil && r.MaxKbps < have.MaxKbps {
				lower = false // the limit is lowered, so a minimum may have to be lowered first
			}
			if lower != first || have != nil && have.String() == r.String() {
				continue
			}
			method, id := http.MethodPost, ""
			if have != nil {
				method, id = http.MethodPut, have.ID
			}
			if err := send(ctx, d, method, s.ID, r, id); err != nil {
				return err
			}
		}
	}
	return nil
}

func send(ctx context.Context, d driver, method, policy string, r Rule, id string) error {
	call := cloud.Call{Service: cloud.Network, Method: method, Path: "qos/policies/" + policy + "/" + r.Type + "_rules"}
	if id != "" {
		call.Path += "/" + id
	}
	if method != http.MethodDelete {
		call.Body = map[string]any{r.Type + "_rule": r.body()}
	}
	if err := d.Client.Do(ctx, call); err != nil {
		return fmt.Errorf("rule %s %s: %w", r.Type, r, err)
	}
	return nil
}

func (r Rule) body() map[string]any {
	switch r.Type {
	case limit:
		return map[string]any{"direction": r.Direction, "max_kbps": r.MaxKbps, "max_burst_kbps": r.MaxBurstKbps}
	case minimum:
		return map[string]any{"direction": r.Direction, "min_kbps": r.MinKbps}
	}
	return map[string]any{"dscp_mark": r.DSCPMark}
}
