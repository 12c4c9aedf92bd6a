// Package floatingip is the kind FloatingIP: an address of an external network
// that leads to a port, in K-ORC's vocabulary. Of ports, networks and subnets
// it knows only IDs and addresses. Floating IPs have no name in Neutron; people
// see their address instead.
package floatingip

import (
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a floating IP shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/floatingip_types.go), values Neutron's
// (neutron-lib api/definitions/l3.py). Unlike in K-ORC, portRef and fixedIP can
// be changed, and there is loadBalancerRef.
type Spec struct {
	Description        *string  `json:"description,omitempty" rule:"max=255" doc:"Free text."`
	Tags               []string `json:"tags,omitempty" rule:"max=64" doc:"Tags, besides those that mark the owner."`
	FloatingNetworkRef *string  `json:"floatingNetworkRef,omitempty" rule:"immutable,min=1" ref:"Network" doc:"The external network it is from. Either this or floatingSubnetRef."`
	FloatingSubnetRef  *string  `json:"floatingSubnetRef,omitempty" rule:"immutable,min=1" ref:"Subnet" doc:"The subnet of an external network it is from."`
	FloatingIP         *string  `json:"floatingIP,omitempty" rule:"immutable,format=ip" doc:"The address itself; the cloud chooses if left out. Needs an administrator on most clouds."`
	PortRef            *string  `json:"portRef,omitempty" rule:"min=1" ref:"Port" doc:"The port it leads to; nowhere if left out. To leave this to others, name it in the annotation stackreeve.dev/ignore-fields."`
	LoadBalancerRef    *string  `json:"loadBalancerRef,omitempty" rule:"min=1" ref:"LoadBalancer" doc:"The LoadBalancer that it leads to, instead of portRef."`
	FixedIP            *string  `json:"fixedIP,omitempty" rule:"format=ip" doc:"Which of the port's addresses; the cloud chooses if left out."`
	cloud.ProjectRef   `json:",inline"`
	// SubnetRefs are the subnets that the repository puts on the floating
	// network: there is no address before there is one of them.
	SubnetRefs []string `json:"-" ref:"Subnet,order"`
}

// Filter says which existing floating IP is meant.
type Filter struct {
	FloatingIP          *string `json:"floatingIP,omitempty" rule:"format=ip" doc:"The address itself."`
	Description         *string `json:"description,omitempty" doc:"Exact description."`
	FloatingNetworkRef  *string `json:"floatingNetworkRef,omitempty" ref:"Network" doc:"The external network it is from."`
	PortRef             *string `json:"portRef,omitempty" ref:"Port" doc:"The port it leads to."`
	Status              string  `json:"status,omitempty" doc:"Exact status, e.g. ACTIVE or DOWN."`
	cloud.ProjectFilter `json:",inline"`
	cloud.TagFilter     `json:",inline"`
}

// FilterName implements plan.Named: people know a floating IP by its
// address.
func (f *Filter) FilterName() string { return cloud.Or(f.FloatingIP, "") }

// State is a floating IP as Neutron shows it. What it does not lead to is "".
type State struct {
	cloud.NeutronBase
	FloatingNetworkID string `json:"floating_network_id"`
	FloatingIP        string `json:"floating_ip_address"`
	PortID            string `json:"port_id"`
	FixedIP           string `json:"fixed_ip_address"`
	RouterID          string `json:"router_id"`
	Status            string `json:"status"`
}

type rules struct{}

// Kind is the kind FloatingIP over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "FloatingIP", Service: cloud.Network,
		Unmark: cloud.UnmarkByLabel("floating ip"),
		Loss:   []string{"its public address"},
		Doc:    "A public address that leads to a port (Neutron).",
	}, rules{}, driver{c})
}

// Name is empty: Neutron has none for a floating IP.
func (rules) Name(kind.Want[Spec]) string { return "" }

// Expand makes no object; it finds the subnets the address can come from, and
// whether there is a way to where it leads.
func (rules) Expand(s *Spec, e *kind.Expansion) {
	if s.FloatingNetworkRef != nil {
		s.SubnetRefs = e.Referring("Subnet", "Network", *s.FloatingNetworkRef)
	}
	if s.PortRef == nil {
		return
	}
	if networks, ok := e.Referred("Port", *s.PortRef, "Network"); ok && len(networks) > 0 {
		subnets, _ := e.Referred("Port", *s.PortRef, "Subnet")
		cloud.NoteWay(e, "spec.resource.portRef", networks[0], subnets)
	}
}

func (rules) Validate(s *Spec, r *kind.Report) {
	switch {
	case s.FloatingNetworkRef == nil && s.FloatingSubnetRef == nil:
		r.Problem("spec.resource.floatingNetworkRef", "is missing", "name the external network, or one of its subnets as floatingSubnetRef")
	case s.FloatingNetworkRef != nil && s.FloatingSubnetRef != nil:
		r.Problem("spec.resource.floatingSubnetRef", "is given along with floatingNetworkRef", "remove one of them")
	}
	switch {
	case s.PortRef != nil && s.LoadBalancerRef != nil:
		r.Problem("spec.resource.loadBalancerRef", "is given along with portRef", "remove one of them: a floating IP leads to one port")
	case s.FixedIP != nil && s.LoadBalancerRef != nil:
		r.Problem("spec.resource.fixedIP", "is given along with loadBalancerRef", "remove it: a load balancer has one address")
	case s.FixedIP != nil && s.PortRef == nil:
		r.Problem("spec.resource.fixedIP", "is given without portRef", "name the port it is an address of")
	}
}

func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	want := w.Spec
	have.NeutronBase.Diff(labels(want), c)
	want.ProjectRef.Diff(have.ProjectID, w.Ref, c)
	kind.Link(c, "spec.resource.floatingNetworkRef", have.FloatingNetworkID, w.Ref("Network", cloud.Or(want.FloatingNetworkRef, "")), kind.Replace)
	if subnet := w.Ref("Subnet", cloud.Or(want.FloatingSubnetRef, "")); subnet.Ready && !contains(subnet.Attr["cidr"], have.FloatingIP) {
		kind.Fixed(c, "spec.resource.floatingSubnetRef", have.FloatingIP, subnet.Attr["cidr"])
	}
	if want.FloatingIP != nil {
		kind.Fixed(c, "spec.resource.floatingIP", normal(have.FloatingIP), normal(*want.FloatingIP))
	}
	if field, port := target(w); port.Name == "" {
		kind.Field(c, field, have.PortID, "")
	} else {
		kind.Link(c, field, have.PortID, port, kind.InPlace)
	}
	if want.FixedIP != nil {
		kind.Field(c, "spec.resource.fixedIP", normal(have.FixedIP), normal(*want.FixedIP))
	}
}

// target is the port that the address leads to, and the field that says so: that
// of a load balancer is known by reference. It has no name where the address leads
// nowhere.
func target(w kind.Want[Spec]) (field string, port kind.Ref) {
	if w.Spec.LoadBalancerRef == nil {
		return "spec.resource.portRef", w.Ref("Port", cloud.Or(w.Spec.PortRef, ""))
	}
	balancer := w.Ref("LoadBalancer", *w.Spec.LoadBalancerRef)
	balancer.ID = balancer.Attr["port_id"]
	return "spec.resource.loadBalancerRef", balancer
}

func labels(s *Spec) cloud.Labels {
	return cloud.Labels{Description: cloud.Or(s.Description, ""), Tags: s.Tags, MarkInTags: true}
}

// contains tells whether an address is of a network. Neutron does not show
// which subnet a floating IP came from.
func contains(cidr, address string) bool {
	p, err := netip.ParsePrefix(cidr)
	a, addressErr := netip.ParseAddr(address)
	return err == nil && addressErr == nil && p.Contains(a)
}

func normal(text string) string {
	if a, err := netip.ParseAddr(text); err == nil {
		return a.String()
	}
	return text
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	return (f.FloatingIP == nil || normal(*f.FloatingIP) == normal(have.FloatingIP)) && cloud.Is(f.Description, have.Description()) &&
		(f.FloatingNetworkRef == nil || have.FloatingNetworkID == w.Ref("Network", *f.FloatingNetworkRef).ID) &&
		(f.PortRef == nil || have.PortID == w.Ref("Port", *f.PortRef).ID) &&
		(f.Status == "" || f.Status == have.Status) && f.ProjectFilter.Match(have.ProjectID, w.Ref) && f.TagFilter.Match(have.UserTags())
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Description       string   `json:"description,omitempty"`
	FloatingNetworkID string   `json:"floatingNetworkID"`
	FloatingIP        string   `json:"floatingIP"`
	PortID            string   `json:"portID,omitempty"`
	FixedIP           string   `json:"fixedIP,omitempty"`
	TenantID          string   `json:"tenantID"`
	ProjectID         string   `json:"projectID"`
	Status            string   `json:"status"`
	RouterID          string   `json:"routerID,omitempty"`
	Tags              []string `json:"tags,omitempty"`
	RevisionNumber    int      `json:"revisionNumber"`
	CreatedAt         string   `json:"createdAt,omitempty"`
	UpdatedAt         string   `json:"updatedAt,omitempty"`
}

func (rules) Status(s *State) any {
	return Observed{
		Description: s.Description(), FloatingNetworkID: s.FloatingNetworkID, FloatingIP: s.FloatingIP, PortID: s.PortID, FixedIP: s.FixedIP,
		TenantID: s.ProjectID, ProjectID: s.ProjectID, Status: s.Status, RouterID: s.RouterID, Tags: s.UserTags(),
		RevisionNumber: s.Revision, CreatedAt: cloud.Timestamp(s.CreatedAt), UpdatedAt: cloud.Timestamp(s.UpdatedAt),
	}
}
