package floatingip

import (
	"net/netip"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/addressing"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// findWay adds no object. It finds the subnets that the address can be taken from, and adds a note if no router leads to
// the target.
func findWay(s *Spec, e *kind.Expansion) {
	if s.FloatingNetworkRef != "" {
		s.SubnetRefs = e.Referring("Subnet", "Network", s.FloatingNetworkRef)
	}
	external := s.FloatingNetworkRef
	if networks, _ := e.Referred("Subnet", s.FloatingSubnetRef, "Network"); external == "" && len(networks) == 1 {
		external = networks[0]
	}
	switch {
	case s.PortRef != "":
		addressing.NoteWayToPort(e, "spec.resource.portRef", external, s.PortRef)
	case s.LoadBalancerRef != "":
		e.Members("LoadBalancer", s.LoadBalancerRef, "FloatingIP") // the load balancer's network is known once the load balancer is expanded
		if networks, _ := e.Referred("LoadBalancer", s.LoadBalancerRef, "Network"); len(networks) > 0 {
			addressing.NoteWay(e, "spec.resource.loadBalancerRef", external, networks[0], nil)
		}
	}
}

func validate(s *Spec, r *kind.Report) {
	switch {
	case s.FloatingNetworkRef == "" && s.FloatingSubnetRef == "":
		r.Problem("spec.resource.floatingNetworkRef", "is missing", "name the external network, or one of its subnets as floatingSubnetRef")
	case s.FloatingNetworkRef != "" && s.FloatingSubnetRef != "":
		r.Problem("spec.resource.floatingSubnetRef", "is given together with floatingNetworkRef", "remove one of them")
	}
	switch {
	case s.PortRef != "" && s.LoadBalancerRef != "":
		r.Problem("spec.resource.loadBalancerRef", "is given together with portRef", "remove one of them: a floating IP belongs to one port")
	case s.FixedIP != "" && s.LoadBalancerRef != "":
		r.Problem("spec.resource.fixedIP", "is given together with loadBalancerRef", "remove it: a load balancer has one address")
	case s.FixedIP != "" && s.PortRef == "":
		r.Problem("spec.resource.fixedIP", "is given without portRef", "name the port to which the address belongs")
	}
}

// target returns the port that the address is to be associated with, and the field that names it. The port of a load
// balancer is known through the reference. The returned port has no name if the address is to be associated with
// nothing.
func target(w typed.Want[Spec]) (field string, port kind.Ref) {
	if w.Spec.LoadBalancerRef == "" {
		return "spec.resource.portRef", w.Ref("Port", w.Spec.PortRef)
	}
	balancer := w.Ref("LoadBalancer", w.Spec.LoadBalancerRef)
	balancer.ID = balancer.Facts.PortID
	return "spec.resource.loadBalancerRef", balancer
}

func compareTarget(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	field, port := target(w)
	if port.Name == "" {
		kind.Field(c, field, have.Spec.PortRef, "")
		return
	}
	kind.Link(c, field, have.Spec.PortRef, port, kind.InPlace)
	if why := lacks(w); why != "" {
		c.Note("spec.resource.fixedIP", why+"; the cloud will refuse it")
	}
}

// compareDNS ignores a name that the cloud does not show. Neutron stores names only if it publishes them (db/dns_db.py),
// so a new address would have no name either.
func compareDNS(field string, of func(*Spec) *string) func(typed.Want[Spec], *table.Object[Spec, More], *kind.Changes) {
	return func(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
		want, seen := of(w.Spec), strings.ToLower(table.Or(of(&have.Spec), ""))
		switch {
		case want == nil:
		case seen == "" && *want != "":
			c.Note(table.Path(field), "the cloud shows no DNS name: either the cloud has no DNS names for floating IPs, or this floating IP was created without a name, which cannot be added later")
		default:
			kind.Fixed(c, table.Path(field), seen, strings.ToLower(*want))
		}
	}
}

func compareSubnet(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if subnet := w.Ref("Subnet", w.Spec.FloatingSubnetRef); subnet.Ready && !contains(subnet.Facts.CIDR, have.Spec.FloatingIP) {
		kind.Fixed(c, "spec.resource.floatingSubnetRef", have.Spec.FloatingIP, subnet.Facts.CIDR)
	}
}

// impossible returns a reason if the address is outside the subnet that it is to be taken from, or if its port does not
// have the requested fixed address.
func impossible(w typed.Want[Spec]) string {
	if why := addressing.Outside("spec.resource.floatingIP", w.Spec.FloatingIP, w.Ref("Subnet", w.Spec.FloatingSubnetRef)); why != "" {
		return why
	}
	if why := lacks(w); why != "" {
		return "spec.resource.fixedIP: " + why
	}
	return ""
}

// lacks returns a reason if the port does not have the fixed address that the manifest names.
func lacks(w typed.Want[Spec]) string {
	return addressing.Lacks(w.Spec.FixedIP, w.Ref("Port", w.Spec.PortRef))
}

// exclusiveClaims claims the address, because a network gives each address to only one floating IP.
func exclusiveClaims(w typed.Want[Spec]) []kind.Claim {
	claim := kind.Claim{Field: "spec.resource.floatingIP", Owner: w.Ref("Network", w.Spec.FloatingNetworkRef), From: "Subnet", HolderKind: "FloatingIP"}
	if subnet := w.Ref("Subnet", w.Spec.FloatingSubnetRef); subnet.Name != "" {
		claim.Owner, claim.From = subnet, ""
	}
	if w.Spec.FloatingIP == "" {
		return []kind.Claim{claim}
	}
	claim.Value = table.IP(w.Spec.FloatingIP)
	if claim.From == "" {
		claim.Owner.ID = claim.Owner.Facts.NetworkID // the cloud shows the address as one of the network's, not of the subnet's
	}
	return []kind.Claim{claim}
}

// contains reports whether a network contains an address. Neutron does not show which subnet a floating IP came from.
func contains(cidr, address string) bool {
	p, err := netip.ParsePrefix(cidr)
	a, addressErr := netip.ParseAddr(address)
	return err == nil && addressErr == nil && p.Contains(a)
}

// export omits the address, because only an administrator can request a certain one.
func export(_ *state, spec *Spec, _ *kind.Export) { spec.FloatingIP = "" }
