// Package virtualmachinegroup is the kind VirtualMachineGroup: a number of
// machines that are all alike. It stands for that many virtual machines, and a
// server group that spreads them over hosts.
package virtualmachinegroup

import (
	"cmp"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a group shall be.
type Spec struct {
	Replicas    *int             `json:"replicas,omitempty" rule:"min=0,max=1000,default=1" doc:"Number of machines. Fewer deletes those with the highest numbers."`
	HAPolicy    string           `json:"haPolicy,omitempty" rule:"enum=soft|hard|none,default=soft" doc:"soft: on different hosts where possible. hard: on different hosts, or not at all. none: anywhere."`
	Template    machine.Template `json:"template" rule:"required" doc:"What each machine is; volumes and ports are made for each."`
	Description string           `json:"description,omitempty" rule:"max=255" doc:"Free text, for machines whose template has none."`
}

// policies are Nova's words for ours.
var policies = map[string]string{"": "soft-anti-affinity", "soft": "soft-anti-affinity", "hard": "anti-affinity"}

type rules struct{}

// Kind is the kind VirtualMachineGroup.
func Kind() kind.Kind {
	return kind.DefineWorkload(kind.Info{
		Group: cloud.WorkloadGroup, Version: "v1alpha1", Kind: "VirtualMachineGroup", Aliases: []string{"verda.linecorp.com"}, Members: "VirtualMachine",
		Doc: "A number of machines that are all alike. It stands for VirtualMachines NAME-0, NAME-1 and so on, and for a ServerGroup NAME that keeps them on different hosts.",
	}, rules{})
}

func (rules) Validate(s *Spec, r *kind.Report) {
	s.Template.Validate("spec.template", r)
	s.Template.ValidateForMany("spec.template", cloud.Or(s.Replicas, 1), r)
}

// Expand makes
//
//	ServerGroup/NAME                          unless haPolicy is none
//	VirtualMachine/NAME-0 … NAME-(replicas-1)  in that group
func (rules) Expand(s *Spec, e *kind.Expansion) {
	if !s.Template.Look("spec.template", e) {
		return
	}
	member := struct {
		machine.Template
		ServerGroup string `json:"serverGroup,omitempty"`
	}{Template: s.Template}
	member.Description = cmp.Or(s.Template.Description, s.Description)
	if policy := policies[s.HAPolicy]; policy != "" {
		member.ServerGroup = e.Key.Name
		e.Child("ServerGroup", e.Key.Name, body{map[string]any{"resource": map[string]any{"policy": policy}}})
	}
	name := func(i int) string { return fmt.Sprintf("%s-%d", e.Key.Name, i) }
	e.Children("VirtualMachine", cloud.Or(s.Replicas, 1), name, body{member})
}

type body struct {
	Spec any `json:"spec"`
}
