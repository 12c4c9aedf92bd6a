// Package port is the kind Port: a Neutron port, in K-ORC's vocabulary. Of the
// machine that is plugged into a port, the package only checks whether it
// exists and which stack owns it.
package port

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a port. Field names and meanings are from K-ORC
// (api/v1alpha1/port_types.go), values are from Neutron (neutron-lib
// api/definitions/port.py, portbindings.py, port_security.py).
type Spec struct {
	Name                  *string       `json:"name,omitempty" api:"name,named" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description           *string       `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	NetworkRef            string        `json:"networkRef" api:"network_id" show:"networkID" rule:"required,immutable,min=1" ref:"Network" doc:"The network of the port."`
	Tags                  []string      `json:"tags,omitempty" api:"tags,set,empty" rule:"max=64,unique" doc:"Tags, besides those that mark the owner."`
	AllowedAddressPairs   []AddressPair `json:"allowedAddressPairs,omitempty" api:"allowed_address_pairs,empty" rule:"max=128,key=ip" cuts:"the further addresses cannot be used any more" doc:"Further addresses that may be used on the port."`
	Addresses             []Address     `json:"addresses,omitempty" api:"fixed_ips" show:"fixedIPs" rule:"immutable,max=128" doc:"IP addresses of the port; none if left out. With one empty entry, {}, the cloud chooses an address from all subnets."`
	AdminStateUp          *bool         `json:"adminStateUp,omitempty" api:"admin_state_up" rule:"default=true" cuts:"it forwards no packets any more" doc:"Whether the port forwards packets."`
	SecurityGroupRefs     []string      `json:"securityGroupRefs,omitempty" api:"security_groups,empty" show:"securityGroups" rule:"max=64,unique,format=name" ref:"SecurityGroup" cuts:"no traffic is allowed any more" doc:"The SecurityGroups of the port. If left out, it has none, not even the cloud's default group."`
	DefaultSecurityGroup  bool          `json:"defaultSecurityGroup,omitempty" doc:"The cloud chooses the security groups of the port, normally its default group, and the agent does not manage them."`
	VNICType              string        `json:"vnicType,omitempty" api:"binding:vnic_type,hidden" rule:"max=64,default=normal" doc:"Type of network card, such as normal or direct."`
	PortSecurity          string        `json:"portSecurity,omitempty" rule:"enum=Enabled|Disabled|Inherit,default=Inherit" doc:"Whether security groups and anti-spoofing apply. Inherit: the setting of the network when the port is created."`
	MACAddress            string        `json:"macAddress,omitempty" api:"mac_address" rule:"format=mac" doc:"MAC address; the cloud decides if left out. Only an administrator can change it."`
	HostID                *HostID       `json:"hostID,omitempty" api:",inline" rule:"immutable,oneof,whole" doc:"The host of the port. Needs an administrator. The field is not compared while a machine uses the port."`
	TrustedVIF            *bool         `json:"trustedVIF,omitempty" api:"trusted,extension=port-trusted-vif" rule:"default=false" doc:"Whether the physical function trusts the port's virtual function. Needs an administrator. Not sent if the cloud has no such extension."`
	ValueSpecs            []ValueSpec   `json:"valueSpecs,omitempty" rule:"immutable,max=128,key=key" doc:"Further attributes for the request that makes the port. The agent does not compare them afterwards."`
	PropagateUplinkStatus *bool         `json:"propagateUplinkStatus,omitempty" api:"propagate_uplink_status,extension=uplink-status-propagation" rule:"immutable" doc:"Whether the port goes down with its uplink. Not sent if the cloud has no such extension."`
	DNSName               *string       `json:"dnsName,omitempty" api:"dns_name,lower,extension=dns-integration" rule:"max=255" doc:"Name of the port in DNS. Not managed if left out, because Nova names ports after their machine. Not sent if the cloud has no such extension."`
	DNSDomain             *string       `json:"dnsDomain,omitempty" api:"dns_domain,lower,empty,extension=dns-domain-ports" rule:"max=255" doc:"DNS domain of the port, with a final dot, in place of the network's. Not sent if the cloud has no such extension."`
	QoSPolicyRef          *string       `json:"qosPolicyRef,omitempty" api:"qos_policy_id,extension=qos" show:"qosPolicyID" ref:"QoSPolicy" doc:"The QoSPolicy of the object; no policy if empty. Not managed if left out, because administrators may set a policy, too."`
	define.ProjectRef     `json:",inline"`

	// SubnetRefs are the subnets of the port's network that the repository
	// declares. They must exist before the cloud can choose an address.
	SubnetRefs []string `json:"-" ref:"Subnet,order" from:"networkRef"`
}

// Address requests an IP address.
type Address struct {
	IP        *string `json:"ip,omitempty" api:"ip_address" rule:"format=ip" doc:"The address; the cloud chooses one of the subnet if left out."`
	SubnetRef string  `json:"subnetRef,omitempty" api:"subnet_id" show:"subnetID" ref:"Subnet" doc:"The subnet of the address."`
}

// AddressPair is an address that may be used in addition to the port's own.
type AddressPair struct {
	IP  string  `json:"ip" api:"ip_address" rule:"required,max=49" doc:"IP address or network."`
	MAC *string `json:"mac,omitempty" api:"mac_address" rule:"format=mac" doc:"MAC address; the port's own if left out."`
}

// HostID names a host: by its name, or by a server that runs on it.
type HostID struct {
	ID        *string `json:"id,omitempty" api:"binding:host_id" show:"hostID" rule:"min=1,max=36" doc:"Name of the host."`
	ServerRef *string `json:"serverRef,omitempty" rule:"min=1" ref:"Server" doc:"A Server. The port gets the host of that Server."`
}

// ValueSpec is an attribute for which this kind has no field.
type ValueSpec struct {
	Key   string  `json:"key" rule:"required,min=1,max=255" doc:"Name of the attribute in Neutron's API."`
	Value *string `json:"value" rule:"required,max=255" doc:"Its value."`
}

// More holds the fields of a port that only Neutron sets.
type More struct {
	Status              string `json:"status" api:"status"`
	DeviceID            string `json:"deviceID" api:"device_id"`
	DeviceOwner         string `json:"deviceOwner" api:"device_owner"`
	PortSecurityEnabled *bool  `json:"portSecurityEnabled,omitempty" api:"port_security_enabled"`
}

// Filter selects an existing port.
type Filter struct {
	define.NameFilter    `json:",inline"`
	NetworkRef           string `json:"networkRef,omitempty" ref:"Network" doc:"The network of the port."`
	AdminStateUp         *bool  `json:"adminStateUp,omitempty" doc:"Whether the port forwards packets."`
	MACAddress           string `json:"macAddress,omitempty" rule:"max=32" doc:"Exact MAC address."`
	define.ProjectFilter `json:",inline"`
	define.TagFilter     `json:",inline"`
}

// Kind returns the kind Port. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Kind: "Port", Exclusive: true, Unmark: mark.UnmarkByLabel("port"),
			Loss: []string{"its addresses, unless the manifest fixes them"},
			Doc:  "A connection of a machine to a network (Neutron)."},
		Collection: define.Collection{Path: "ports", Singular: "port"},
		Overrides: []table.Override[Spec, More]{
			{Field: "allowedAddressPairs", Compare: comparePairs},
			{Field: "addresses", Compare: compareAddresses},
			{Field: "securityGroupRefs", Compare: compareGroups},
			{Field: "portSecurity", Compare: comparePortSecurity, Write: writePortSecurity},
			{Field: "hostID", Compare: compareHost, Write: writeHost},
		},
		Validate: validate, Expand: findSubnets, Observe: observe, Addresses: addresses, Create: create, Delete: remove, Impossible: impossible, ExclusiveClaims: exclusiveClaims, Stated: stated, Export: export,
	})
}
