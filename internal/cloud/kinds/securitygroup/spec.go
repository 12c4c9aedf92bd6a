// Package securitygroup is the kind SecurityGroup: a Neutron security group and its rules, in K-ORC's vocabulary. A
// group has exactly the rules of its manifest. Neutron adds rules to a new group that allow all outgoing traffic.
// They stay only if the manifest has the same rules. The package does not read or change the ports that have the
// group.
package securitygroup

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a security group. Field names and meanings are from K-ORC
// (api/v1alpha1/securitygroup_types.go), values are from Neutron (neutron-lib api/definitions/security_groups.py).
type Spec struct {
	Name              *string  `json:"name,omitempty" api:"name,named" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description       *string  `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Tags              []string `json:"tags,omitempty" api:"tags,set,empty" rule:"max=64,unique" doc:"Tags, besides those that mark the owner."`
	Stateful          *bool    `json:"stateful,omitempty" api:"stateful,hidden" rule:"immutable,default=true" doc:"Whether answers to allowed traffic are allowed, too."`
	Rules             []Rule   `json:"rules,omitempty" rule:"max=256,objects" cuts:"no traffic is allowed any more" doc:"All rules of the group. Without egress rules, the group allows no outgoing traffic."`
	define.Shares     `json:",inline"`
	define.ProjectRef `json:",inline"`
}

// Rule allows some traffic. RemoteGroupRef and RemoteAddressGroupRef are not in K-ORC's vocabulary.
type Rule struct {
	Description           *string    `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Direction             *string    `json:"direction,omitempty" api:"direction" rule:"enum=ingress|egress,default=ingress" doc:"ingress: to the machine; egress: from it."`
	RemoteIPPrefix        *string    `json:"remoteIPPrefix,omitempty" api:"remote_ip_prefix" rule:"format=cidr" doc:"Addresses of the other side. If no remote field is given, all addresses."`
	RemoteGroupRef        *string    `json:"remoteGroupRef,omitempty" api:"remote_group_id" show:"remoteGroupID" rule:"min=1" ref:"SecurityGroup,late,restricts" doc:"The other side has this SecurityGroup. It may be the rule's own group, or a group whose rules refer to this one. Rules between such groups are added when both groups exist."`
	RemoteAddressGroupRef *string    `json:"remoteAddressGroupRef,omitempty" api:"remote_address_group_id" show:"remoteAddressGroupID" rule:"min=1" ref:"AddressGroup,restricts" doc:"The AddressGroup with the other side's addresses."`
	Protocol              *string    `json:"protocol,omitempty" api:"protocol" rule:"format=ipprotocol" doc:"IP protocol; all protocols if left out."`
	Ethertype             string     `json:"ethertype" api:"ethertype" rule:"required,enum=IPv4|IPv6" doc:"IP version."`
	PortRange             *PortRange `json:"portRange,omitempty" api:",inline" doc:"Ports; all ports if left out. For ICMP, min is the type and max is the code; without max, the rule applies to all codes of the type."`
}

// PortRange is a range of ports that includes both ends. For ICMP, Min is a type and Max is a code; without Max, any
// code is meant.
type PortRange struct {
	Min int  `json:"min" api:"port_range_min" rule:"required,min=0,max=65535" doc:"First port, or ICMP type."`
	Max *int `json:"max,omitempty" api:"port_range_max" rule:"min=0,max=65535" doc:"Last port, required for protocols with ports. For ICMP, the code; any code if left out."`
}

// More holds what Neutron's answers show besides Spec: the rules, with their IDs.
type More struct {
	Rules []CloudRule `json:"rules" api:"security_group_rules"`
}

// CloudRule is a rule in the cloud. Its RemoteGroupRef and RemoteAddressGroupRef are IDs.
type CloudRule struct {
	ID   string `json:"id" api:"id,unwritten"`
	Rule `json:",inline"`
}

// Filter selects an existing security group.
type Filter struct {
	define.NameFilter    `json:",inline"`
	define.ProjectFilter `json:",inline"`
	define.TagFilter     `json:",inline"`
}

// Kind returns the kind SecurityGroup. c may be nil where only its rules are needed. The mark is stored in the tags,
// because the dashboard lets users edit the description of a security group.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Kind: "SecurityGroup", Short: "sg", KeptWhileUsed: true, Unmark: mark.UnmarkByLabel("security group"),
			Doc: "A set of firewall rules for ports (Neutron)."},
		Collection: define.Collection{Path: "security-groups", Singular: "security_group"}, Sharing: define.Sharing{Type: "security_group", Extension: "rbac-security-groups"}, MarkInTags: true,
		Overrides: []table.Override[Spec, More]{{Field: "rules", Compare: compareRules}}, // setRules (driver.go) writes them
		Validate:  validate, Observe: observe, Show: show, Create: create, Update: update, Besides: countRules, Export: export,
	})
}
