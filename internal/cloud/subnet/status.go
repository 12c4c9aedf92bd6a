package subnet

import (
	"fmt"
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// State is a subnet as Neutron shows it. An absent gateway or mode is "".
type State struct {
	cloud.NeutronBase
	NetworkID         string       `json:"network_id"`
	IPVersion         int          `json:"ip_version"`
	CIDR              string       `json:"cidr"`
	GatewayIP         string       `json:"gateway_ip"`
	EnableDHCP        bool         `json:"enable_dhcp"`
	AllocationPools   []Pool       `json:"allocation_pools"`
	DNSNameservers    []string     `json:"dns_nameservers"`
	DNSPublishFixedIP *bool        `json:"dns_publish_fixed_ip"`
	HostRoutes        []stateRoute `json:"host_routes"`
	IPv6AddressMode   string       `json:"ipv6_address_mode"`
	IPv6RAMode        string       `json:"ipv6_ra_mode"`
	SubnetPoolID      string       `json:"subnetpool_id"`
}

type stateRoute struct {
	Destination string `json:"destination"`
	NextHop     string `json:"nexthop"`
}

func (s *State) hostRoutes() []HostRoute {
	var out []HostRoute
	for _, r := range s.HostRoutes {
		out = append(out, HostRoute(r))
	}
	return out
}

func poolField(i int) string { return fmt.Sprintf("spec.resource.allocationPools[%d]", i) }

// Diff leaves gateway and pools alone when the manifest does not give them:
// the cloud has chosen, and K-ORC does not take back what it had set either.
func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	want := w.Spec
	kind.Field(c, "spec.resource.name", have.Name, rules{}.Name(w))
	have.NeutronBase.Diff(labels(w), c)
	want.ProjectRef.Diff(have.ProjectID, w.Ref, c)
	kind.Link(c, "spec.resource.networkRef", have.NetworkID, w.Ref("Network", want.NetworkRef), kind.Replace)
	kind.Fixed(c, "spec.resource.ipVersion", have.IPVersion, want.IPVersion)
	kind.Fixed(c, "spec.resource.cidr", masked(have.CIDR), masked(want.CIDR))
	if want.AllocationPools != nil {
		kind.Set(c, "spec.resource.allocationPools", poolTexts(have.AllocationPools), poolTexts(want.AllocationPools), kind.InPlace)
	}
	if want.Gateway != nil {
		kind.Field(c, "spec.resource.gateway", normal(have.GatewayIP), normal(gateway(want, have.GatewayIP)))
	}
	kind.Field(c, "spec.resource.enableDHCP", have.EnableDHCP, cloud.Or(want.EnableDHCP, true))
	kind.Field(c, "spec.resource.dnsNameservers", normalAll(have.DNSNameservers), normalAll(want.DNSNameservers))
	kind.Pointer(c, "spec.resource.dnsPublishFixedIP", cloud.Or(have.DNSPublishFixedIP, false), want.DNSPublishFixedIP, kind.Replace)
	kind.Set(c, "spec.resource.hostRoutes", routeTexts(have.hostRoutes()), routeTexts(want.HostRoutes), kind.InPlace)
	v6 := cloud.Or(want.IPv6, IPv6{})
	kind.Fixed(c, "spec.resource.ipv6.addressMode", have.IPv6AddressMode, cloud.Or(v6.AddressMode, ""))
	kind.Fixed(c, "spec.resource.ipv6.raMode", have.IPv6RAMode, cloud.Or(v6.RAMode, ""))
}

// gateway is the address that the manifest's gateway stands for, "" for none.
// Automatic is whatever there is already, or else what Neutron would choose
// (neutron/ipam/utils.py: generate_pools' default gateway): the first host of
// an IPv4 subnet, the network's own address of an IPv6 one.
func gateway(s *Spec, have string) string {
	switch {
	case s.Gateway.Type == "IP":
		return *s.Gateway.IP
	case s.Gateway.Type == "None":
		return ""
	case have != "":
		return have
	}
	cidr, err := netip.ParsePrefix(s.CIDR)
	if err != nil {
		return ""
	}
	if cidr.Addr().Is4() {
		return cidr.Masked().Addr().Next().String()
	}
	return cidr.Masked().Addr().String()
}

func masked(cidr string) string {
	p, err := netip.ParsePrefix(cidr)
	if err != nil {
		return cidr
	}
	return p.Masked().String()
}

func labels(w kind.Want[Spec]) cloud.Labels {
	return cloud.Labels{Description: cloud.Or(w.Spec.Description, ""), Tags: w.Spec.Tags, MarkInTags: w.OthersWrite("spec.resource.description")}
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name              string      `json:"name"`
	Description       string      `json:"description,omitempty"`
	IPVersion         int         `json:"ipVersion"`
	CIDR              string      `json:"cidr"`
	GatewayIP         string      `json:"gatewayIP,omitempty"`
	DNSNameservers    []string    `json:"dnsNameservers,omitempty"`
	DNSPublishFixedIP bool        `json:"dnsPublishFixedIP"`
	AllocationPools   []Pool      `json:"allocationPools,omitempty"`
	HostRoutes        []HostRoute `json:"hostRoutes,omitempty"`
	EnableDHCP        bool        `json:"enableDHCP"`
	NetworkID         string      `json:"networkID"`
	ProjectID         string      `json:"projectID"`
	IPv6AddressMode   string      `json:"ipv6AddressMode,omitempty"`
	IPv6RAMode        string      `json:"ipv6RAMode,omitempty"`
	SubnetPoolID      string      `json:"subnetPoolID,omitempty"`
	Tags              []string    `json:"tags,omitempty"`
	RevisionNumber    int         `json:"revisionNumber"`
	CreatedAt         string      `json:"createdAt,omitempty"`
	UpdatedAt         string      `json:"updatedAt,omitempty"`
}

func (rules) Status(s *State) any {
	return Observed{
		Name: s.Name, Description: s.Description(), IPVersion: s.IPVersion, CIDR: s.CIDR, GatewayIP: s.GatewayIP,
		DNSNameservers: s.DNSNameservers, DNSPublishFixedIP: cloud.Or(s.DNSPublishFixedIP, false), AllocationPools: s.AllocationPools,
		HostRoutes: s.hostRoutes(), EnableDHCP: s.EnableDHCP, NetworkID: s.NetworkID, ProjectID: s.ProjectID,
		IPv6AddressMode: s.IPv6AddressMode, IPv6RAMode: s.IPv6RAMode, SubnetPoolID: s.SubnetPoolID, Tags: s.UserTags(),
		RevisionNumber: s.Revision, CreatedAt: cloud.Timestamp(s.CreatedAt), UpdatedAt: cloud.Timestamp(s.UpdatedAt),
	}
}
