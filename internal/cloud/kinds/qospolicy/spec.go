// Package qospolicy is the kind QoSPolicy: limits on the traffic of networks, ports and
// floating IPs (Neutron). The package does not read or change those objects.
//
// The kind needs more than a table of fields, because rules are separate objects of Neutron
// below the policy. Rules are changed in such an order that they never contradict each other.
package qospolicy

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the desired state of a QoS policy. Values are from Neutron (neutron-lib
// api/definitions/qos.py).
type Spec struct {
	Name              *string            `json:"name,omitempty" api:"name,named" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description       *string            `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Tags              []string           `json:"tags,omitempty" api:"tags,set,empty" rule:"max=64,unique" doc:"Tags, besides those that mark the owner."`
	Shared            *bool              `json:"shared,omitempty" api:"shared" rule:"default=false" doc:"Whether other projects can use it."`
	IsDefault         *bool              `json:"isDefault,omitempty" api:"is_default" rule:"default=false" doc:"Whether new networks of the project get this policy."`
	BandwidthLimits   []BandwidthLimit   `json:"bandwidthLimits,omitempty" rule:"max=2" doc:"Upper limits of the traffic, at most one for each direction."`
	MinimumBandwidths []MinimumBandwidth `json:"minimumBandwidths,omitempty" rule:"max=2" doc:"Traffic that must be possible at any time, at most one for each direction. Some releases refuse a value above the limit of the other direction."`
	DSCPMark          *int               `json:"dscpMark,omitempty" rule:"enum=0|8|10|12|14|16|18|20|22|24|26|28|30|32|34|36|38|40|46|48|56" doc:"DSCP mark of packets; packets are not changed if left out."`
	define.Shares     `json:",inline"`
	define.ProjectRef `json:",inline"`
}

// BandwidthLimit is the maximum traffic in one direction.
type BandwidthLimit struct {
	Direction    string `json:"direction,omitempty" rule:"enum=egress|ingress,default=egress" doc:"egress: from the machine; ingress: to it."`
	MaxKbps      int    `json:"maxKbps" rule:"required,min=0,max=2147483647" doc:"Upper limit of the traffic, in kilobits per second."`
	MaxBurstKbps int    `json:"maxBurstKbps,omitempty" rule:"min=0,max=2147483647" doc:"Size of a burst, in kilobits; the cloud decides if left out."`
}

// MinimumBandwidth is the guaranteed traffic in one direction.
type MinimumBandwidth struct {
	Direction string `json:"direction,omitempty" rule:"enum=egress|ingress,default=egress" doc:"egress: from the machine; ingress: to it."`
	MinKbps   int    `json:"minKbps" rule:"required,min=0,max=2147483647" doc:"Guaranteed traffic, in kilobits per second."`
}

// More holds the fields of a QoS policy that only Neutron sets.
type More struct {
	Rules []Rule `json:"rules" api:"rules"`
}

// Rule is a rule in the cloud. Rules of other types than limit, minimum and marking are never
// changed.
type Rule struct {
	ID           string `json:"id" api:"id"`
	Type         string `json:"type" api:"type"`
	Direction    string `json:"direction,omitempty" api:"direction"`
	MaxKbps      int    `json:"maxKbps,omitempty" api:"max_kbps"`
	MaxBurstKbps int    `json:"maxBurstKbps,omitempty" api:"max_burst_kbps"`
	MinKbps      int    `json:"minKbps,omitempty" api:"min_kbps"`
	DSCPMark     *int   `json:"dscpMark,omitempty" api:"dscp_mark"`
}

// limit, minimum and marking are types of rules (neutron-lib services/qos/constants.py).
const (
	limit   = "bandwidth_limit"
	minimum = "minimum_bandwidth"
	marking = "dscp_marking"
)

// Filter selects an existing QoS policy.
type Filter struct {
	define.NameFilter    `json:",inline"`
	Shared               *bool `json:"shared,omitempty" doc:"Whether other projects can use it."`
	IsDefault            *bool `json:"isDefault,omitempty" doc:"Whether new networks get this policy."`
	define.ProjectFilter `json:",inline"`
	define.TagFilter     `json:",inline"`
}

// Kind returns the kind QoSPolicy. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Group: define.WorkloadGroup, Kind: "QoSPolicy", Unmark: mark.UnmarkByTag("network qos policy"),
			Doc: "Limits for the traffic of networks, ports and floating IPs (Neutron). On most clouds only an administrator can make one. Others can import a shared one."},
		Collection: define.Collection{Path: "qos/policies", Singular: "policy", Extension: "qos"}, Sharing: define.Sharing{Type: "qos_policy", Extension: "rbac-policies"},
		Overrides: []table.Override[Spec, More]{
			{Field: "bandwidthLimits", Compare: compareRules("bandwidthLimits", limit)},
			{Field: "minimumBandwidths", Compare: compareRules("minimumBandwidths", minimum)},
			{Field: "dscpMark", Compare: compareRules("dscpMark", marking)},
		},
		Validate: validate, Create: create, Update: update, Export: export,
	})
}

func validate(s *Spec, r *kind.Report) {
	seen := map[string]bool{}
	for i, rule := range rules(s) {
		if seen[rule.slot()] {
			field := map[string]string{limit: "bandwidthLimits", minimum: "minimumBandwidths"}[rule.Type]
			r.Problem("spec.resource."+field, fmt.Sprintf("has two for %s", rule.Direction), "keep one of them")
		}
		seen[rule.slot()] = i >= 0
	}
}

// rules are the rules of the manifest.
func rules(s *Spec) (list []Rule) {
	for _, l := range s.BandwidthLimits {
		list = append(list, Rule{Type: limit, Direction: direction(l.Direction), MaxKbps: l.MaxKbps, MaxBurstKbps: l.MaxBurstKbps})
	}
	for _, m := range s.MinimumBandwidths {
		list = append(list, Rule{Type: minimum, Direction: direction(m.Direction), MinKbps: m.MinKbps})
	}
	if s.DSCPMark != nil {
		list = append(list, Rule{Type: marking, DSCPMark: s.DSCPMark})
	}
	return list
}

// export writes the rules of the policy. A manifest cannot contain rules of types other than
// limit, minimum and marking.
func export(s *define.State[Spec, More], spec *Spec, _ *kind.Export) {
	for _, r := range s.More.Rules {
		switch r.Type {
		case limit:
			spec.BandwidthLimits = append(spec.BandwidthLimits, BandwidthLimit{Direction: r.Direction, MaxKbps: r.MaxKbps, MaxBurstKbps: r.MaxBurstKbps})
		case minimum:
			spec.MinimumBandwidths = append(spec.MinimumBandwidths, MinimumBandwidth{Direction: r.Direction, MinKbps: r.MinKbps})
		case marking:
			spec.DSCPMark = r.DSCPMark
		}
	}
}

func direction(asked string) string {
	if asked == "" {
		return "egress"
	}
	return asked
}

// slot identifies a rule: a policy has at most one rule of each type and direction.
func (r Rule) slot() string { return r.Type + " " + r.Direction }

// String is the text by which rules are compared.
func (r Rule) String() string {
	switch r.Type {
	case limit:
		return fmt.Sprintf("%s at most %d kbps, burst %d", r.Direction, r.MaxKbps, r.MaxBurstKbps)
	case minimum:
		return fmt.Sprintf("%s at least %d kbps", r.Direction, r.MinKbps)
	}
	return fmt.Sprint(table.Or(r.DSCPMark, 0))
}

func compareRules(field, ruleType string) func(typed.Want[Spec], *table.Object[Spec, More], *kind.Changes) {
	return func(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
		texts := func(list []Rule) (out []string) {
			for _, r := range list {
				if r.Type == ruleType {
					out = append(out, r.String())
				}
			}
			return out
		}
		kind.Set(c, table.Path(field), texts(have.More.Rules), texts(rules(w.Spec)), kind.InPlace)
	}
}

// of returns the rule of the list with the given slot, or nil if there is none.
func of(list []Rule, slot string) *Rule {
	if i := slices.IndexFunc(list, func(r Rule) bool { return r.slot() == slot }); i >= 0 {
		return &list[i]
	}
	return nil
}
