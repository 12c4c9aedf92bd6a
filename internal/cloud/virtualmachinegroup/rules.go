package virtualmachinegroup

import (
	"cmp"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// policies are Nova's words for ours.
var policies = map[string]string{"": "soft-anti-affinity", "soft": "soft-anti-affinity", "hard": "anti-affinity"}

func (rules) Validate(s *Spec, r *kind.Report) {
	s.Template.Validate("spec.template", r)
	s.Template.ValidateForMany("spec.template", table.Or(s.Replicas, 1), r)
	validateProbes(s.Probes, r)
	s.Strategy.validate(table.Or(s.Replicas, 1), r)
	s.Heal.validate(len(s.Probes) > 0, r)
	if s.ServerGroup != "" && s.HAPolicy != "" {
		r.Problem("spec.haPolicy", "is given along with serverGroup, which has a policy of its own", "keep one of them")
	}
}

// Expand makes
//
//	ServerGroup/NAME                          unless haPolicy is none, or there is a serverGroup
//	VirtualMachine/NAME-0 … NAME-(replicas-1)  in that group
//	VirtualMachine/NAME-spare-0 …              in it, while others are changed, if the strategy has a surge
func (rules) Expand(s *Spec, e *kind.Expansion) {
	if !s.Template.Look("spec.template", e) {
		return
	}
	strategy := s.Strategy.rollout()
	strategy.Heal = s.Heal.rollout()
	e.Roll(strategy, probes(s.Probes))
	member := struct {
		machine.Template
		ServerGroup string `json:"serverGroup,omitempty"`
	}{Template: s.Template}
	member.Description = cmp.Or(s.Template.Description, s.Description)
	if s.ServerGroup != "" {
		member.ServerGroup = s.ServerGroup // which each of them finds
	} else if policy := policies[s.HAPolicy]; policy != "" {
		member.ServerGroup = e.Key.Name
		e.Child("ServerGroup", e.Key.Name, body{map[string]any{"resource": map[string]any{"policy": policy}}})
	}
	name := func(i int) string { return fmt.Sprintf("%s-%d", e.Key.Name, i) }
	replicas := table.Or(s.Replicas, 1)
	e.Children("VirtualMachine", replicas, name, body{member})
	e.Spares("VirtualMachine", s.Strategy.rollout().Surge(replicas), func(i int) string { return fmt.Sprintf("%s-spare-%d", e.Key.Name, i) }, body{member})
}

type body struct {
	Spec any `json:"spec"`
}
