package port

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
)

// State is a port as Neutron shows it. Pointers are nil where the cloud lacks
// the extension, or does not show the attribute to us.
type State struct {
	cloud.NeutronBase
	NetworkID             string        `json:"network_id"`
	Status                string        `json:"status"`
	AdminStateUp          bool          `json:"admin_state_up"`
	MACAddress            string        `json:"mac_address"`
	DeviceID              string        `json:"device_id"`
	DeviceOwner           string        `json:"device_owner"`
	FixedIPs              []fixedIP     `json:"fixed_ips"`
	AllowedAddressPairs   []addressPair `json:"allowed_address_pairs"`
	SecurityGroups        []string      `json:"security_groups"`
	VNICType              string        `json:"binding:vnic_type"`
	HostID                *string       `json:"binding:host_id"`
	PortSecurityEnabled   *bool         `json:"port_security_enabled"`
	TrustedVIF            *bool         `json:"trusted"`
	PropagateUplinkStatus *bool         `json:"propagate_uplink_status"`
}

type fixedIP struct {
	SubnetID  string `json:"subnet_id,omitempty"`
	IPAddress string `json:"ip_address,omitempty"`
}

type addressPair struct {
	IP  string `json:"ip_address"`
	MAC string `json:"mac_address,omitempty"`
}

// tokens are the addresses as load balancer members and others refer to them.
func (s *State) tokens() []string {
	out := []string{}
	for _, ip := range s.FixedIPs {
		out = append(out, token(ip.SubnetID, ip.IPAddress))
	}
	return out
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name                  string         `json:"name"`
	Description           string         `json:"description,omitempty"`
	NetworkID             string         `json:"networkID"`
	ProjectID             string         `json:"projectID"`
	Status                string         `json:"status"`
	Tags                  []string       `json:"tags,omitempty"`
	AdminStateUp          bool           `json:"adminStateUp"`
	MACAddress            string         `json:"macAddress"`
	DeviceID              string         `json:"deviceID,omitempty"`
	DeviceOwner           string         `json:"deviceOwner,omitempty"`
	AllowedAddressPairs   []ObservedPair `json:"allowedAddressPairs,omitempty"`
	FixedIPs              []ObservedIP   `json:"fixedIPs,omitempty"`
	SecurityGroups        []string       `json:"securityGroups,omitempty"`
	PropagateUplinkStatus *bool          `json:"propagateUplinkStatus,omitempty"`
	VNICType              string         `json:"vnicType,omitempty"`
	PortSecurityEnabled   *bool          `json:"portSecurityEnabled,omitempty"`
	HostID                string         `json:"hostID,omitempty"`
	TrustedVIF            *bool          `json:"trustedVIF,omitempty"`
	RevisionNumber        int            `json:"revisionNumber"`
	CreatedAt             string         `json:"createdAt,omitempty"`
	UpdatedAt             string         `json:"updatedAt,omitempty"`
}

// ObservedPair is an address pair that is allowed.
type ObservedPair struct {
	IP  string `json:"ip"`
	MAC string `json:"mac,omitempty"`
}

// ObservedIP is an address of a port.
type ObservedIP struct {
	IP       string `json:"ip"`
	SubnetID string `json:"subnetID"`
}

func (rules) Status(s *State) any {
	o := Observed{
		Name: s.Name, Description: s.Description(), NetworkID: s.NetworkID, ProjectID: s.ProjectID, Status: s.Status, Tags: s.UserTags(),
		AdminStateUp: s.AdminStateUp, MACAddress: s.MACAddress, DeviceID: s.DeviceID, DeviceOwner: s.DeviceOwner,
		SecurityGroups: s.SecurityGroups, PropagateUplinkStatus: s.PropagateUplinkStatus, VNICType: s.VNICType,
		PortSecurityEnabled: s.PortSecurityEnabled, HostID: cloud.Or(s.HostID, ""), TrustedVIF: s.TrustedVIF,
		RevisionNumber: s.Revision, CreatedAt: cloud.Timestamp(s.CreatedAt), UpdatedAt: cloud.Timestamp(s.UpdatedAt),
	}
	for _, p := range s.AllowedAddressPairs {
		o.AllowedAddressPairs = append(o.AllowedAddressPairs, ObservedPair(p))
	}
	for _, ip := range s.FixedIPs {
		o.FixedIPs = append(o.FixedIPs, ObservedIP{IP: ip.IPAddress, SubnetID: ip.SubnetID})
	}
	return o
}
