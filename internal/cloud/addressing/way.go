package addressing

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// NoteWayToPort calls [NoteWay] for the network and the subnets of a port of the repository.
func NoteWayToPort(e *kind.Expansion, field, external, port string) {
	if networks, ok := e.Referred("Port", port, "Network"); ok && len(networks) > 0 {
		subnets, _ := e.Referred("Port", port, "Subnet")
		NoteWay(e, field, external, networks[0], subnets)
	}
}

// NoteWay adds a note at field if no router in the repository connects an external network with a network, or with some
// of its subnets. external is "" if it is unknown. The cloud refuses to associate a floating IP with an address there
// until somebody adds such a connection. No note is added if a subnet or a router is not in the repository, or is only
// imported.
func NoteWay(e *kind.Expansion, field, external, network string, subnets []string) {
	if len(subnets) == 0 {
		subnets = e.Referring("Subnet", "Network", network)
	}
	elsewhere := ""
	for _, subnet := range subnets {
		if !e.Declares("Subnet", subnet) || e.Imported("Subnet", subnet) != nil {
			return
		}
		for _, router := range routersOf(e, subnet) {
			if mayLead(e, router, external) {
				return
			}
			elsewhere = "Router/" + router + ", which leads to Subnet/" + subnet
		}
	}
	switch {
	case len(subnets) == 0:
	case elsewhere != "" && external == "":
		e.Note(field, elsewhere+", leads to no external network: unless another router leads there, the cloud refuses this floating IP; set externalGateways of the Router")
	case elsewhere != "":
		e.Note(field, elsewhere+", does not lead to Network/"+external+": unless another router leads there, the cloud refuses this floating IP; name that network in externalGateways of the Router")
	default:
		e.Note(field, "no router in the repository leads to Subnet/"+subnets[0]+": unless another router leads there, the cloud refuses this floating IP; set routerRef of the Subnet")
	}
}

// routersOf are the routers to which the repository attaches a subnet.
func routersOf(e *kind.Expansion, subnet string) (routers []string) {
	short, _ := e.Members("Subnet", subnet, "RouterInterface")
	for _, way := range slices.Concat(short, e.Referring("RouterInterface", "Subnet", subnet)) {
		routers = append(routers, e.MemberReferred("RouterInterface", way, "Router")...)
	}
	return routers
}

// mayLead reports whether a router leads to an external network, as far as that is known.
func mayLead(e *kind.Expansion, router, external string) bool {
	if !e.Declares("Router", router) || e.Imported("Router", router) != nil {
		return true
	}
	gateways, _ := e.Referred("Router", router, "Network")
	return slices.ContainsFunc(gateways, func(network string) bool { return external == "" || !differ(e, network, external) })
}

// differ reports whether two names certainly mean different networks: two imports can mean the same one.
func differ(e *kind.Expansion, a, b string) bool {
	one, other := e.Imported("Network", a), e.Imported("Network", b)
	switch {
	case a == b || !e.Declares("Network", a) || !e.Declares("Network", b):
		return false
	case one == nil || other == nil:
		return true
	case one.ID != "" && other.ID != "":
		return one.ID != other.ID
	}
	name, otherName := filterName(one), filterName(other)
	return name != "" && otherName != "" && name != otherName
}

func filterName(i *kind.Import) string {
	if named, ok := i.Filter.(interface{ FilterName() string }); ok {
		return named.FilterName()
	}
	return ""
}
