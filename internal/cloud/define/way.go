package define

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// NoteWay notes at field when no router in the repository leads to a port that a
// floating IP shall lead to: then the cloud refuses the association until somebody
// else connects them. The port is on the network, on these subnets of it, if any are
// named. Of subnets that the repository does not have nothing is known.
func NoteWay(e *kind.Expansion, field, network string, subnets []string) {
	if len(subnets) == 0 {
		subnets = e.Referring("Subnet", "Network", network)
	}
	for _, subnet := range subnets {
		networks, declared := e.Referred("Subnet", subnet, "Network")
		if !declared || len(networks) == 0 || len(e.Referring("RouterInterface", "Subnet", subnet)) > 0 {
			return
		}
		if short, _ := e.Members("Subnet", subnet, "RouterInterface"); len(short) > 0 {
			return
		}
	}
	if len(subnets) > 0 {
		e.Note(field, "no router in the repository leads to Subnet/"+subnets[0]+": unless another does, the cloud refuses to let the address lead there; set routerRef of the Subnet")
	}
}
