// Package subnet is the kind Subnet: a Neutron subnet, in K-ORC's vocabulary. The
// package does not read or change the ports with addresses of the subnet. If a
// subnet names a router, it expands into a RouterInterface that connects the two.
package subnet

import (
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a subnet. Field names and meanings are from K-ORC
// (api/v1alpha1/subnet_types.go), values are from Neutron (neutron-lib
// api/definitions/subnet.py). If the manifest names no gateway or no pools, the
// values that the cloud has chosen are not changed. K-ORC does not reset them
// either.
type Spec struct {
	Name              *string     `json:"name,omitempty" api:"name,named" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description       *string     `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Tags              []string    `json:"tags,omitempty" api:"tags,set,empty" rule:"max=64,unique" doc:"Tags, besides those that mark the owner."`
	NetworkRef        string      `json:"networkRef" api:"network_id" show:"networkID" rule:"required,immutable,min=1" ref:"Network" doc:"The network of the subnet."`
	IPVersion         int         `json:"ipVersion" api:"ip_version" rule:"required,immutable,enum=4|6" doc:"IP version. It must be the version of cidr."`
	CIDR              string      `json:"cidr,omitempty" api:"cidr" rule:"immutable,format=cidr" doc:"Addresses of the subnet. If left out with subnetPoolRef, the pool chooses them."`
	SubnetPoolRef     string      `json:"subnetPoolRef,omitempty" api:"subnetpool_id" show:"subnetPoolID" rule:"immutable,min=1" ref:"SubnetPool" doc:"The SubnetPool from which the subnet gets its addresses."`
	PrefixLength      *int        `json:"prefixLength,omitempty" api:"prefixlen,unread" rule:"immutable,min=0,max=128" doc:"Instead of cidr: length of the prefix that the subnet gets from the pool; the pool's default if left out."`
	AllocationPools   []Pool      `json:"allocationPools,omitempty" api:"allocation_pools,set" rule:"max=32" doc:"Addresses for ports that ask for no address; the cloud decides if left out."`
	Gateway           *Gateway    `json:"gateway,omitempty" rule:"whole" doc:"Its default gateway; the cloud decides if left out."`
	EnableDHCP        *bool       `json:"enableDHCP,omitempty" api:"enable_dhcp" rule:"default=true" cuts:"machines get no addresses on this subnet any more" doc:"Whether the cloud offers DHCP on the subnet."`
	DNSNameservers    []string    `json:"dnsNameservers,omitempty" api:"dns_nameservers,empty" rule:"max=16,unique,format=ip" doc:"Name servers announced by DHCP, in this order."`
	DNSPublishFixedIP *bool       `json:"dnsPublishFixedIP,omitempty" api:"dns_publish_fixed_ip,extension=subnet-dns-publish-fixed-ip" rule:"immutable" doc:"Whether addresses are published in DNS. Not sent if the cloud has no such extension."`
	HostRoutes        []HostRoute `json:"hostRoutes,omitempty" api:"host_routes,set,empty" rule:"max=256" cuts:"these routes are not announced any more" doc:"Routes announced by DHCP."`
	IPv6              *IPv6       `json:"ipv6,omitempty" api:",inline" rule:"immutable,min=1" doc:"How machines get IPv6 addresses."`
	RouterRef         *string     `json:"routerRef,omitempty" rule:"min=1" doc:"A Router to which the subnet is attached. This makes a RouterInterface with the name of the subnet and -subnet at the end."`
	define.ProjectRef `json:",inline"`
}

// Pool is a range of addresses.
type Pool struct {
	Start string `json:"start" rule:"required,format=ip" doc:"First address."`
	End   string `json:"end" rule:"required,format=ip" doc:"Last address."`
}

func (p Pool) String() string { return table.IP(p.Start) + "-" + table.IP(p.End) }

// has reports whether the pool contains an address. No pool contains an invalid
// address.
func (p Pool) has(at netip.Addr) bool {
	return kind.Pool{First: address(p.Start), Last: address(p.End)}.Has(at)
}

// Gateway says which default gateway a subnet has.
type Gateway struct {
	Type string  `json:"type" rule:"required,enum=None|Automatic|IP" doc:"None: no gateway. Automatic: the cloud decides. IP: the address in ip."`
	IP   *string `json:"ip,omitempty" rule:"format=ip" doc:"The address, with type IP."`
}

// HostRoute is a route that machines on the subnet learn by DHCP.
type HostRoute struct {
	Destination string `json:"destination" rule:"required,format=cidr" doc:"Network to which the route leads."`
	NextHop     string `json:"nextHop" api:"nexthop" rule:"required,format=ip" doc:"Address of the router for that network."`
}

func (r HostRoute) String() string {
	return table.Network(r.Destination) + " via " + table.IP(r.NextHop)
}

// IPv6 says how machines get their IPv6 addresses.
type IPv6 struct {
	AddressMode *string `json:"addressMode,omitempty" api:"ipv6_address_mode,empty" show:"ipv6AddressMode" rule:"enum=slaac|dhcpv6-stateful|dhcpv6-stateless" doc:"Who assigns addresses."`
	RAMode      *string `json:"raMode,omitempty" api:"ipv6_ra_mode,empty" show:"ipv6RAMode" rule:"enum=slaac|dhcpv6-stateful|dhcpv6-stateless" doc:"Router advertisements of the cloud's routers."`
}

// More holds the fields of a subnet that only Neutron sets.
type More struct {
	GatewayIP string `json:"gatewayIP" api:"gateway_ip" rule:"format=ip"` // "" if there is none
}

// Filter selects an existing subnet.
type Filter struct {
	define.NameFilter    `json:",inline"`
	IPVersion            *int    `json:"ipVersion,omitempty" rule:"enum=4|6" doc:"IP version."`
	GatewayIP            *string `json:"gatewayIP,omitempty" rule:"format=ip" doc:"Address of its gateway."`
	CIDR                 *string `json:"cidr,omitempty" rule:"format=cidr" doc:"Its addresses."`
	IPv6                 *IPv6   `json:"ipv6,omitempty" rule:"min=1" doc:"How machines get IPv6 addresses."`
	SubnetPoolRef        string  `json:"subnetPoolRef,omitempty" ref:"SubnetPool" doc:"The SubnetPool from which the subnet gets its addresses."`
	NetworkRef           string  `json:"networkRef,omitempty" ref:"Network" doc:"The network of the subnet."`
	define.ProjectFilter `json:",inline"`
	define.TagFilter     `json:",inline"`
}

// Kind returns the kind Subnet. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Kind: "Subnet", Parts: []string{"RouterInterface"}, Unmark: mark.UnmarkByLabel("subnet"),
			Doc: "A block of IP addresses on a network, with the settings that machines there get by DHCP (Neutron)."},
		Collection: define.Collection{Path: "subnets", Singular: "subnet"},
		Overrides:  []table.Override[Spec, More]{{Field: "gateway", Compare: compareGateway, Write: writeGateway}, {Field: "prefixLength", Compare: compareLength}},
		Validate:   validate, Expand: attach, Impossible: impossible, ExclusiveClaims: exclusiveClaims, Stated: stated, Observe: observe, Export: export,
	})
}

type state = define.State[Spec, More]

func observe(s *state, live *kind.Live) {
	live.Uses = []string{s.Spec.NetworkRef}
	if s.Spec.SubnetPoolRef != "" {
		live.Uses = append(live.Uses, s.Spec.SubnetPoolRef)
	}
	if s.Spec.CIDR != provisional {
		live.Tokens = append(live.Tokens, kind.ValueToken(s.Spec.NetworkRef, table.Network(s.Spec.CIDR)))
	}
	live.Facts = kind.Facts{NetworkID: s.Spec.NetworkRef, GatewayIP: s.More.GatewayIP, CIDR: s.Spec.CIDR, Pools: counted(s.Spec.AllocationPools)}
}
