// Package port is the kind Port: a Neutron port, in K-ORC's vocabulary. It
// knows nothing of the machine that may be plugged in, but that there is one.
package port

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a port shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/port_types.go), values Neutron's
// (neutron-lib api/definitions/port.py, portbindings.py, port_security.py).
type Spec struct {
	Name                  *string       `json:"name,omitempty" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description           *string       `json:"description,omitempty" rule:"max=255" doc:"Free text."`
	NetworkRef            string        `json:"networkRef" rule:"required,immutable" ref:"Network" doc:"The network it is on."`
	Tags                  []string      `json:"tags,omitempty" rule:"max=64" doc:"Tags, besides those that mark the owner."`
	AllowedAddressPairs   []AddressPair `json:"allowedAddressPairs,omitempty" rule:"max=128" doc:"Further addresses that may be used on it."`
	Addresses             []Address     `json:"addresses,omitempty" rule:"immutable,max=128" doc:"Its IP addresses; none if left out. One empty entry, {}, lets the cloud choose from all subnets."`
	AdminStateUp          *bool         `json:"adminStateUp,omitempty" rule:"default=true" doc:"Whether it forwards packets."`
	SecurityGroupRefs     []string      `json:"securityGroupRefs,omitempty" rule:"max=64,unique" ref:"SecurityGroup" doc:"The SecurityGroups that guard it; none if left out, also not the cloud's default group."`
	DefaultSecurityGroup  bool          `json:"defaultSecurityGroup,omitempty" doc:"Leaves it to the cloud which security groups guard it, normally its default group; they are not managed."`
	VNICType              string        `json:"vnicType,omitempty" rule:"max=64,default=normal" doc:"Kind of network card, e.g. normal or direct."`
	PortSecurity          string        `json:"portSecurity,omitempty" rule:"enum=Enabled|Disabled|Inherit,default=Inherit" doc:"Whether security groups and anti-spoofing are in force. Inherit: as the network says when the port is made."`
	MACAddress            string        `json:"macAddress,omitempty" rule:"format=mac" doc:"MAC address; the cloud decides if left out. Only an administrator can change it."`
	HostID                *HostID       `json:"hostID,omitempty" rule:"immutable,oneof" doc:"The host it is bound to. Needs an administrator; no longer compared once a machine uses the port."`
	TrustedVIF            *bool         `json:"trustedVIF,omitempty" doc:"Whether its virtual function is trusted by the physical one. Needs an administrator."`
	ValueSpecs            []ValueSpec   `json:"valueSpecs,omitempty" rule:"immutable,max=128" doc:"Further attributes for the request that makes the port. They are not compared afterwards."`
	PropagateUplinkStatus *bool         `json:"propagateUplinkStatus,omitempty" rule:"immutable" doc:"Whether it goes down with its uplink. Needs a cloud with that extension."`
	cloud.ProjectRef      `json:",inline"`

	// SubnetRefs are the subnets that the repository puts on the network: where
	// the cloud chooses an address, they must be there first.
	SubnetRefs []string `json:"-" ref:"Subnet,order"`
}

// Address asks for an IP address.
type Address struct {
	IP        *string `json:"ip,omitempty" rule:"format=ip" doc:"The address; the cloud chooses one of the subnet if left out."`
	SubnetRef string  `json:"subnetRef,omitempty" ref:"Subnet" doc:"The subnet it is from."`
}

// AddressPair is an address that may be used besides the port's own.
type AddressPair struct {
	IP  string  `json:"ip" rule:"required,max=49" doc:"IP address or network."`
	MAC *string `json:"mac,omitempty" rule:"format=mac" doc:"MAC address; the port's own if left out."`
}

// HostID names a host: literally, or by a server that runs there.
type HostID struct {
	ID        *string `json:"id,omitempty" rule:"max=36" doc:"Name of the host."`
	ServerRef *string `json:"serverRef,omitempty" rule:"min=1" ref:"Server" doc:"A Server whose host is meant."`
}

// ValueSpec is an attribute that this vocabulary has no word for.
type ValueSpec struct {
	Key   string  `json:"key" rule:"required,min=1,max=255" doc:"Name of the attribute in Neutron's API."`
	Value *string `json:"value" rule:"required,max=255" doc:"Its value."`
}

// Filter says which existing port is meant.
type Filter struct {
	Name                *string `json:"name,omitempty" doc:"Exact name."`
	Description         *string `json:"description,omitempty" doc:"Exact description."`
	NetworkRef          string  `json:"networkRef,omitempty" ref:"Network" doc:"The network it is on."`
	AdminStateUp        *bool   `json:"adminStateUp,omitempty" doc:"Whether it forwards packets."`
	MACAddress          string  `json:"macAddress,omitempty" rule:"max=32" doc:"Exact MAC address."`
	cloud.ProjectFilter `json:",inline"`
	cloud.TagFilter     `json:",inline"`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

type rules struct{}

// Kind is the kind Port over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "Port", Service: cloud.Network,
		Unmark: cloud.UnmarkByLabel("port"),
		Loss:   []string{"its addresses, unless the manifest fixes them"},
		Doc:    "A connection to a network, for a machine to be plugged in (Neutron).",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

// Expand makes no object; it finds the subnets an address can come from.
func (rules) Expand(s *Spec, e *kind.Expansion) {
	if slices.ContainsFunc(s.Addresses, func(a Address) bool { return a.SubnetRef == "" }) {
		s.SubnetRefs = e.Referring("Subnet", "Network", s.NetworkRef)
	}
}

// reserved are the attributes that carry ownership, or have fields of their
// own.
const reserved = " name description tags network_id project_id tenant_id device_id device_owner fixed_ips security_groups " +
	"allowed_address_pairs admin_state_up mac_address port_security_enabled binding:vnic_type binding:host_id trusted propagate_uplink_status "

func (rules) Validate(s *Spec, r *kind.Report) {
	if s.PortSecurity == "Disabled" && len(s.SecurityGroupRefs) > 0 {
		r.Problem("spec.resource.securityGroupRefs", "is given although portSecurity is Disabled", "remove one of the two")
	}
	if s.DefaultSecurityGroup && s.SecurityGroupRefs != nil {
		r.Problem("spec.resource.defaultSecurityGroup", "is given beside securityGroupRefs", "remove one of the two")
	}
	if s.PortSecurity == "Disabled" && len(s.AllowedAddressPairs) > 0 {
		r.Problem("spec.resource.allowedAddressPairs", "is given although portSecurity is Disabled", "remove one of the two")
	}
	for i, pair := range s.AllowedAddressPairs {
		if !isAddressOrNetwork(pair.IP) {
			r.Problem(fmt.Sprintf("spec.resource.allowedAddressPairs[%d].ip", i), "is neither an IP address nor a network", "write e.g. 10.0.0.7 or 10.0.0.0/24")
		}
	}
	for i, a := range s.Addresses {
		if a.SubnetRef == "" && a.IP == nil && len(s.Addresses) > 1 {
			r.Problem(fmt.Sprintf("spec.resource.addresses[%d]", i), "leaves everything to the cloud beside other addresses", "name its subnet")
		}
	}
	for i, v := range s.ValueSpecs {
		if strings.Contains(reserved, " "+v.Key+" ") {
			r.Problem(fmt.Sprintf("spec.resource.valueSpecs[%d].key", i), "is "+v.Key+", which cannot be set this way", "use the field that is there for it, if any")
		}
	}
}

// anyAddress tells whether the cloud is to choose from all subnets.
func (s *Spec) anyAddress() bool {
	return len(s.Addresses) == 1 && s.Addresses[0] == Address{}
}

func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	want := w.Spec
	kind.Field(c, "spec.resource.name", have.Name, rules{}.Name(w))
	have.NeutronBase.Diff(labels(w), c)
	want.ProjectRef.Diff(have.ProjectID, w.Ref, c)
	kind.Link(c, "spec.resource.networkRef", have.NetworkID, w.Ref("Network", want.NetworkRef), kind.Replace)
	kind.Set(c, "spec.resource.allowedAddressPairs", pairTexts(have.AllowedAddressPairs, have.MACAddress),
		pairTexts(pairs(want), have.MACAddress), kind.InPlace)
	diffAddresses(w, have, c)
	kind.Field(c, "spec.resource.adminStateUp", have.AdminStateUp, cloud.Or(want.AdminStateUp, true))
	if !want.DefaultSecurityGroup {
		kind.Set(c, "spec.resource.securityGroupRefs", have.SecurityGroups, groupTexts(w), kind.InPlace)
	}
	if have.VNICType != "" {
		kind.Field(c, "spec.resource.vnicType", have.VNICType, vnicType(want))
	}
	kind.Pointer(c, "spec.resource.portSecurity", cloud.Or(have.PortSecurityEnabled, true), portSecurity(want), kind.InPlace)
	if want.MACAddress != "" {
		kind.Field(c, "spec.resource.macAddress", have.MACAddress, strings.ToLower(want.MACAddress))
	}
	if host := host(w); host != "" && have.HostID != nil && have.DeviceID == "" {
		kind.Fixed(c, "spec.resource.hostID", *have.HostID, host)
	}
	kind.Pointer(c, "spec.resource.trustedVIF", cloud.Or(have.TrustedVIF, false), want.TrustedVIF, kind.InPlace)
	kind.Pointer(c, "spec.resource.propagateUplinkStatus", cloud.Or(have.PropagateUplinkStatus, false), want.PropagateUplinkStatus, kind.Replace)
}

func labels(w kind.Want[Spec]) cloud.Labels {
	return cloud.Labels{Description: cloud.Or(w.Spec.Description, ""), Tags: w.Spec.Tags, MarkInTags: w.OthersWrite("spec.resource.description")}
}

func vnicType(s *Spec) string {
	if s.VNICType == "" {
		return "normal"
	}
	return s.VNICType
}

// portSecurity is nil when the port goes by its network.
func portSecurity(s *Spec) *bool {
	if s.PortSecurity == "" || s.PortSecurity == "Inherit" {
		return nil
	}
	on := s.PortSecurity == "Enabled"
	return &on
}

// host is the host that the port is to be bound to, as far as it is known; ""
// for none.
func host(w kind.Want[Spec]) string {
	h := w.Spec.HostID
	switch {
	case h == nil:
		return ""
	case h.ID != nil:
		return *h.ID
	}
	return w.Ref("Server", cloud.Or(h.ServerRef, "")).Attr["host_id"]
}

func groupTexts(w kind.Want[Spec]) []string {
	var out []string
	for _, name := range w.Spec.SecurityGroupRefs {
		ref := w.Ref("SecurityGroup", name)
		if !ref.Ready {
			ref.ID = "known once " + ref.Key.String() + " is ready"
		}
		out = append(out, ref.ID)
	}
	return out
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	return cloud.Is(f.Name, have.Name) && cloud.Is(f.Description, have.Description()) && cloud.Is(f.AdminStateUp, have.AdminStateUp) &&
		(f.MACAddress == "" || strings.EqualFold(f.MACAddress, have.MACAddress)) &&
		(f.NetworkRef == "" || have.NetworkID == w.Ref("Network", f.NetworkRef).ID) && f.ProjectFilter.Match(have.ProjectID, w.Ref) && f.TagFilter.Match(have.UserTags())
}
