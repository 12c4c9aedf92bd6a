// Package securitygroup is the kind SecurityGroup: a Neutron security group and
// its rules, in K-ORC's vocabulary. The rules of the manifest are all the rules
// there are: those that Neutron puts into a new group (everything may leave)
// stay only if the manifest has them too. The package knows nothing of the
// ports that the group guards.
package securitygroup

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a security group shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/securitygroup_types.go), values Neutron's
// (neutron-lib api/definitions/security_groups.py).
type Spec struct {
	Name             *string  `json:"name,omitempty" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description      *string  `json:"description,omitempty" rule:"max=255" doc:"Free text."`
	Tags             []string `json:"tags,omitempty" rule:"max=64" doc:"Tags, besides those that mark the owner."`
	Stateful         *bool    `json:"stateful,omitempty" rule:"immutable,default=true" doc:"Whether answers to what is let through are let through too."`
	Rules            []Rule   `json:"rules,omitempty" rule:"max=256" doc:"All its rules. A group without egress rules lets nothing out."`
	cloud.ProjectRef `json:",inline"`
}

// Rule lets some traffic through. RemoteGroupRef is not in K-ORC's vocabulary.
type Rule struct {
	Description    *string    `json:"description,omitempty" rule:"max=255" doc:"Free text."`
	Direction      *string    `json:"direction,omitempty" rule:"enum=ingress|egress,default=ingress" doc:"ingress: to the machine; egress: from it."`
	RemoteIPPrefix *string    `json:"remoteIPPrefix,omitempty" rule:"format=cidr" doc:"The other side's addresses; anybody if neither this nor remoteGroupRef is given."`
	RemoteGroupRef *string    `json:"remoteGroupRef,omitempty" rule:"min=1" ref:"SecurityGroup,late" doc:"The other side is guarded by this SecurityGroup, which may be the very one the rule belongs to, or one whose rules name this one: such rules come when both are there."`
	Protocol       *string    `json:"protocol,omitempty" rule:"enum=ah|dccp|egp|esp|gre|icmp|icmpv6|igmp|ipip|ipv6-encap|ipv6-frag|ipv6-icmp|ipv6-nonxt|ipv6-opts|ipv6-route|ospf|pgm|rsvp|sctp|tcp|udp|udplite|vrrp" doc:"IP protocol; every one if left out."`
	Ethertype      string     `json:"ethertype" rule:"required,enum=IPv4|IPv6" doc:"IP version."`
	PortRange      *PortRange `json:"portRange,omitempty" doc:"Ports; for ICMP type (min) and code (max). Every one if left out."`
}

// PortRange is a range of ports, both ends included.
type PortRange struct {
	Min int `json:"min" rule:"required,min=0,max=65535" doc:"First port, or ICMP type."`
	Max int `json:"max" rule:"required,min=0,max=65535" doc:"Last port, or ICMP code."`
}

// Filter says which existing security group is meant.
type Filter struct {
	Name                *string `json:"name,omitempty" doc:"Exact name."`
	Description         *string `json:"description,omitempty" doc:"Exact description."`
	cloud.ProjectFilter `json:",inline"`
	cloud.TagFilter     `json:",inline"`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

type rules struct{}

// Kind is the kind SecurityGroup over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "SecurityGroup", Service: cloud.Network,
		Unmark: cloud.UnmarkByLabel("security group"),
		Doc:    "A set of firewall rules for ports (Neutron).",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

// Validate checks each rule, and that no two let the same traffic through:
// Neutron refuses the second of them.
func (rules) Validate(s *Spec, r *kind.Report) {
	seen := map[traffic]int{}
	for i := range s.Rules {
		rule := &s.Rules[i]
		field := fmt.Sprintf("spec.resource.rules[%d]", i)
		rule.validate(field, r)
		t := rule.traffic(cloud.Or(rule.RemoteGroupRef, ""))
		if first, twice := seen[t]; twice {
			r.Problem(field, fmt.Sprintf("lets the same traffic through as rules[%d]", first), "remove one of them")
		}
		seen[t] = i
	}
}

func (rule *Rule) validate(field string, r *kind.Report) {
	if rule.RemoteIPPrefix != nil && rule.RemoteGroupRef != nil {
		r.Problem(field+".remoteGroupRef", "is given along with remoteIPPrefix", "make two rules of it")
	}
	if rule.RemoteIPPrefix != nil && isIPv4(*rule.RemoteIPPrefix) != (rule.Ethertype == "IPv4") {
		r.Problem(field+".remoteIPPrefix", "is not of ethertype "+rule.Ethertype, "make them agree")
	}
	if rule.PortRange != nil {
		rule.validatePorts(field+".portRange", r)
	}
}

// validatePorts mirrors neutron/db/securitygroups_db.py: _validate_port_range.
func (rule *Rule) validatePorts(field string, r *kind.Report) {
	ports := rule.PortRange
	switch protocol(cloud.Or(rule.Protocol, ""), rule.Ethertype) {
	case "":
		r.Problem(field, "is given without a protocol", "say which protocol, e.g. tcp")
	case "tcp", "udp", "dccp", "sctp", "udplite":
		if ports.Min == 0 || ports.Min > ports.Max {
			r.Problem(field, fmt.Sprintf("is %d to %d", ports.Min, ports.Max), "give a first port from 1 that is not above the last")
		}
	case "icmp", "ipv6-icmp":
		if ports.Min > 255 || ports.Max > 255 {
			r.Problem(field, "is beyond 255", "for ICMP, min is the type and max the code")
		}
	default:
		r.Problem(field, "is given for a protocol without ports", "remove it")
	}
}

func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	want := w.Spec
	kind.Field(c, "spec.resource.name", have.Name, rules{}.Name(w))
	have.NeutronBase.Diff(labels(want), c)
	want.ProjectRef.Diff(have.ProjectID, w.Ref, c)
	if have.Stateful != nil {
		kind.Fixed(c, "spec.resource.stateful", *have.Stateful, cloud.Or(want.Stateful, true))
	}
	kind.Set(c, "spec.resource.rules", textsOf(have.Rules), wantedTexts(w), kind.InPlace)
}

// labels keep the mark in the tags: the dashboard offers to rewrite the description
// of security groups, and of nothing else here.
func labels(s *Spec) cloud.Labels {
	return cloud.Labels{Description: cloud.Or(s.Description, ""), Tags: s.Tags, MarkInTags: true}
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	return cloud.Is(f.Name, have.Name) && cloud.Is(f.Description, have.Description()) && f.ProjectFilter.Match(have.ProjectID, w.Ref) && f.TagFilter.Match(have.UserTags())
}
