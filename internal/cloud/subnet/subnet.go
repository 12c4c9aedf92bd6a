// Package subnet is the kind Subnet: a Neutron subnet, in K-ORC's vocabulary.
// It knows nothing of the ports that take addresses from it. A subnet that
// names a router expands into the RouterInterface between the two.
package subnet

import (
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a subnet shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/subnet_types.go), values Neutron's
// (neutron-lib api/definitions/subnet.py).
type Spec struct {
	Name              *string     `json:"name,omitempty" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description       *string     `json:"description,omitempty" rule:"max=255" doc:"Free text."`
	Tags              []string    `json:"tags,omitempty" rule:"max=64" doc:"Tags, besides those that mark the owner."`
	NetworkRef        string      `json:"networkRef" rule:"required,immutable" ref:"Network" doc:"The network it is a part of."`
	IPVersion         int         `json:"ipVersion" rule:"required,immutable,enum=4|6" doc:"IP version, the same as that of cidr."`
	CIDR              string      `json:"cidr" rule:"required,immutable,format=cidr" doc:"Its addresses."`
	AllocationPools   []Pool      `json:"allocationPools,omitempty" rule:"max=32" doc:"Addresses handed out to ports that ask for none; the cloud decides if left out."`
	Gateway           *Gateway    `json:"gateway,omitempty" doc:"Its default gateway; the cloud decides if left out."`
	EnableDHCP        *bool       `json:"enableDHCP,omitempty" rule:"default=true" doc:"Whether the cloud answers DHCP on it."`
	DNSNameservers    []string    `json:"dnsNameservers,omitempty" rule:"max=16,unique,format=ip" doc:"Name servers told by DHCP, the first one first."`
	DNSPublishFixedIP *bool       `json:"dnsPublishFixedIP,omitempty" rule:"immutable" doc:"Whether addresses are published in DNS. Needs a cloud with that extension."`
	HostRoutes        []HostRoute `json:"hostRoutes,omitempty" rule:"max=256" doc:"Routes told by DHCP."`
	IPv6              *IPv6       `json:"ipv6,omitempty" rule:"immutable,min=1" doc:"How IPv6 addresses come about."`
	RouterRef         *string     `json:"routerRef,omitempty" rule:"min=1" doc:"A Router to attach it to: short for a RouterInterface called like the subnet with -subnet at the end."`
	cloud.ProjectRef  `json:",inline"`
}

// Pool is a range of addresses.
type Pool struct {
	Start string `json:"start" rule:"required,format=ip" doc:"First address."`
	End   string `json:"end" rule:"required,format=ip" doc:"Last address."`
}

// Gateway says what the default gateway of a subnet is.
type Gateway struct {
	Type string  `json:"type" rule:"required,enum=None|Automatic|IP" doc:"None; Automatic: the cloud decides; IP: the one in ip."`
	IP   *string `json:"ip,omitempty" rule:"format=ip" doc:"The address, with type IP."`
}

// HostRoute is a route that machines on the subnet learn by DHCP.
type HostRoute struct {
	Destination string `json:"destination" rule:"required,format=cidr" doc:"Where packets go to."`
	NextHop     string `json:"nextHop" rule:"required,format=ip" doc:"Who forwards them."`
}

// IPv6 says how machines come by their IPv6 addresses.
type IPv6 struct {
	AddressMode *string `json:"addressMode,omitempty" rule:"enum=slaac|dhcpv6-stateful|dhcpv6-stateless" doc:"Who assigns addresses."`
	RAMode      *string `json:"raMode,omitempty" rule:"enum=slaac|dhcpv6-stateful|dhcpv6-stateless" doc:"What the cloud's routers advertise."`
}

// Filter says which existing subnet is meant.
type Filter struct {
	Name                *string `json:"name,omitempty" doc:"Exact name."`
	Description         *string `json:"description,omitempty" doc:"Exact description."`
	IPVersion           *int    `json:"ipVersion,omitempty" rule:"enum=4|6" doc:"IP version."`
	GatewayIP           *string `json:"gatewayIP,omitempty" rule:"format=ip" doc:"Address of its gateway."`
	CIDR                *string `json:"cidr,omitempty" rule:"format=cidr" doc:"Its addresses."`
	IPv6                *IPv6   `json:"ipv6,omitempty" rule:"min=1" doc:"How IPv6 addresses come about."`
	NetworkRef          string  `json:"networkRef,omitempty" ref:"Network" doc:"The network it is a part of."`
	cloud.ProjectFilter `json:",inline"`
	cloud.TagFilter     `json:",inline"`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

type rules struct{}

// Kind is the kind Subnet over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "Subnet", Service: cloud.Network,
		Unmark: cloud.UnmarkByLabel("subnet"),
		Doc:    "A block of IP addresses on a network, with what machines there learn by DHCP (Neutron).",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

// Validate checks what Neutron would only refuse when it is too late for the
// rest of the repository.
func (rules) Validate(s *Spec, r *kind.Report) {
	cidr, err := netip.ParsePrefix(s.CIDR)
	if err != nil {
		return
	}
	if cidr.Addr().Is4() != (s.IPVersion == 4) {
		r.Problem("spec.resource.ipVersion", "is not the version of cidr "+s.CIDR, "make them agree")
	}
	for i := range s.AllocationPools {
		validatePool(s, i, cidr, r)
	}
	if s.Gateway != nil {
		validateGateway(s.Gateway, cidr, r)
	}
	if s.IPv6 != nil {
		validateIPv6(s, r)
	}
}

func validatePool(s *Spec, i int, cidr netip.Prefix, r *kind.Report) {
	start, end := address(s.AllocationPools[i].Start), address(s.AllocationPools[i].End)
	field := poolField(i)
	switch {
	case !start.IsValid() || !end.IsValid():
	case !cidr.Contains(start) || !cidr.Contains(end):
		r.Problem(field, "is not within "+s.CIDR, "choose addresses of the subnet")
	case end.Less(start):
		r.Problem(field, "ends before it starts", "swap start and end")
	case s.Gateway != nil && s.Gateway.IP != nil && inRange(address(*s.Gateway.IP), start, end):
		r.Problem(field, "contains the gateway "+*s.Gateway.IP, "leave the gateway out of the pools")
	}
}

func inRange(a, start, end netip.Addr) bool {
	return a.IsValid() && !a.Less(start) && !end.Less(a)
}

func validateGateway(g *Gateway, cidr netip.Prefix, r *kind.Report) {
	switch {
	case g.Type == "IP" && g.IP == nil:
		r.Problem("spec.resource.gateway.ip", "is missing", "give the address, or use type Automatic or None")
	case g.Type != "IP" && g.IP != nil:
		r.Problem("spec.resource.gateway.ip", "is given although type is "+g.Type, "remove it, or use type IP")
	case g.IP != nil && address(*g.IP).Is4() != cidr.Addr().Is4():
		r.Problem("spec.resource.gateway.ip", "is not of the version of cidr", "use an address of the subnet")
	}
}

func validateIPv6(s *Spec, r *kind.Report) {
	switch {
	case s.IPVersion != 6:
		r.Problem("spec.resource.ipv6", "is given for an IPv4 subnet", "remove it, or set ipVersion: 6")
	case !cloud.Or(s.EnableDHCP, true):
		r.Problem("spec.resource.ipv6", "needs enableDHCP", "remove it, or set enableDHCP: true")
	case s.IPv6.AddressMode != nil && s.IPv6.RAMode != nil && *s.IPv6.AddressMode != *s.IPv6.RAMode:
		r.Problem("spec.resource.ipv6", "has two different modes", "make addressMode and raMode the same, or leave one of them out")
	}
}

// Expand attaches the subnet to the router it names, as K-ORC does.
func (rules) Expand(s *Spec, e *kind.Expansion) {
	if s.RouterRef == nil {
		return
	}
	e.Child("RouterInterface", e.Key.Name+"-subnet", map[string]any{"spec": map[string]any{
		"type": "Subnet", "routerRef": *s.RouterRef, "subnetRef": e.Key.Name,
	}})
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	v6 := cloud.Or(f.IPv6, IPv6{})
	return cloud.Is(f.Name, have.Name) && cloud.Is(f.Description, have.Description()) && cloud.Is(f.IPVersion, have.IPVersion) &&
		sameAddress(f.GatewayIP, have.GatewayIP) && cloud.Is(f.CIDR, have.CIDR) &&
		cloud.Is(v6.AddressMode, have.IPv6AddressMode) && cloud.Is(v6.RAMode, have.IPv6RAMode) &&
		(f.NetworkRef == "" || have.NetworkID == w.Ref("Network", f.NetworkRef).ID) && f.ProjectFilter.Match(have.ProjectID, w.Ref) && f.TagFilter.Match(have.UserTags())
}

func sameAddress(want *string, have string) bool {
	return want == nil || normal(*want) == normal(have)
}

// address reads an IP address; it is not valid when text is none.
func address(text string) netip.Addr {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return a
}

// normal is the shortest spelling of an IP address; what is none stays as it
// is.
func normal(text string) string {
	if a := address(text); a.IsValid() {
		return a.String()
	}
	return text
}

func normalAll(list []string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = normal(text)
	}
	return out
}

func poolTexts(pools []Pool) []string {
	out := make([]string, len(pools))
	for i, p := range pools {
		out[i] = normal(p.Start) + "-" + normal(p.End)
	}
	slices.Sort(out)
	return out
}

func routeTexts(routes []HostRoute) []string {
	out := make([]string, len(routes))
	for i, r := range routes {
		destination := r.Destination
		if p, err := netip.ParsePrefix(destination); err == nil {
			destination = p.Masked().String()
		}
		out[i] = destination + " via " + normal(r.NextHop)
	}
	return out
}
