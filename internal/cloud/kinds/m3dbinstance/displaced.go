package m3dbinstance

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// displaced says of a placement that none of its instances, of several, is where the port of its machine is, and what to do; "" where that is not so. etcd keeps the
// placement of a cluster whose manifest goes, and when that comes back, its machines have other addresses, perhaps one another's. None of the instances can be
// replaced then, since all others would have to answer.
func (c *cluster) displaced(p *m3.Placement) string {
	if p == nil || len(p.Instances) < 2 {
		return ""
	}
	var addresses []string
	for _, h := range p.Instances {
		if m := c.Named(m3.MachineOf(h.ID)); m != nil && m.PortID != "" && m.Address == h.Address {
			return ""
		}
		addresses = append(addresses, printable.Name(printable.Clip(h.Address, mostAddress)))
	}
	if more := len(addresses) - mostShown; more > 0 {
		addresses = append(addresses[:mostShown], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("the placement that etcd has is of machines that had other addresses (%s), as of a cluster that was deleted: delete the placement of %s, or give the cluster another name (docs/clusters.md)",
		strings.Join(addresses, ", "), c.at.Environment)
}

// foreign says of a placement that the stack has not begun it, and what to do; "" where that is not so. Manifests decide at which addresses the stack's ports are,
// and so whom the agent asks there: it may be the M3DB of somebody else.
func (c *cluster) foreign(p *m3.Placement) string {
	if p == nil || c.own {
		return ""
	}
	return othersPlacement(c.at.Environment)
}

func othersPlacement(environment string) string {
	return fmt.Sprintf("a placement of %s that the stack has not begun is there, as of a cluster that was deleted, or of somebody else: nothing is changed in it; correct the addresses, delete that placement, "+
		"give the cluster another name (docs/clusters.md), or, if it is the stack's own, run openstack port set --tag %s and the ID of its port", environment, member.PlacementBegun)
}

const (
	mostShown   = 5  // addresses that are named
	mostAddress = 64 // bytes of each
)
