package virtualmachinegroup

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Expand creates
//
//	ServerGroup/NAME               a server group, unless haPolicy is none or serverGroup names one
//	VirtualMachine/NAME-0 …        the machines, in that group; machines beyond minReplicas exist only while they are asked for
//	DNSRecordSet/NAME …            if there is dns: a record set of all machines, and record sets of each machine
//	VirtualMachine/NAME-spare-0 …  spare machines while others are changed, if the strategy has a surge
func (rules) Expand(s *Spec, e *kind.Expansion) {
	hinted, ok := s.hinted(e)
	if ok = s.Template.Look("spec.template", e) && ok; !ok {
		return
	}
	numbers, in := s.places(hinted)
	s.noteIdle(numbers, e)
	s.noteUneven(in, e)
	roll := s.Strategy.rollout()
	roll.Partition, _ = slices.BinarySearch(numbers, roll.From) // the index of the first machine with that number or a higher one
	if roll.From > 0 && roll.From > last(numbers)+1 {
		e.Note("spec.strategy.partition", fmt.Sprintf("is higher than the number of any machine (there are %d): none of them is changed", len(numbers)))
	}
	roll.Heal = s.Heal.rollout()
	e.SetRollout(roll, probes(s.Probes))
	m := one{Template: s.Template}
	m.Description = cmp.Or(s.Template.Description, s.Description)
	if s.ServerGroup != "" {
		m.ServerGroup = s.ServerGroup // each machine refers to it by name
	} else if policy := policies[s.HAPolicy]; policy != "" {
		m.ServerGroup = e.Key.Name
		e.Child("ServerGroup", e.Key.Name, body{map[string]any{"resource": map[string]any{"policy": policy}}})
	}
	if script := m.InitScript; script != nil && script.Template {
		peers := numbers
		if script.Group != nil {
			peers, _ = script.Group.Members() // Validate reports the error
		}
		if !script.CheckPeers("spec.template.initScript", len(peers), e) {
			return
		}
		if script.Group == nil {
			m.InitScript = script.WithPeers(e.Key.Name, numbers)
		}
	}
	spare := m
	m.Template, spare.Template = withVolumes(m.Template, "detach"), withVolumes(m.Template, "delete")
	least := s.least(len(numbers))
	s.members(numbers[:least], in[:least], m, kind.Always, e)
	s.members(numbers[least:], in[least:], m, kind.Scaled, e)
	surge := roll.Surge(len(numbers))
	beside := s.beside(surge)
	e.Varied("VirtualMachine", surge, func(i int) string { return kind.SpareName(e.Key.Name, i) }, s.bodies(spare), func(i int) int { return beside[i] }, kind.Spare)
	s.DNS.expand(numbers, least, e)
}

// members adds the machines with these numbers. Each is in its zone or isolation group.
func (s *Spec) members(numbers, in []int, m one, when kind.Presence, e *kind.Expansion) {
	name := func(i int) string { return fmt.Sprintf("%s-%d", e.Key.Name, numbers[i]) }
	e.Varied("VirtualMachine", len(numbers), name, s.bodies(m), func(i int) int { return in[i] }, when)
}
