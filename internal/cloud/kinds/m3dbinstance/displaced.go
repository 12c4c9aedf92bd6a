package m3dbinstance

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// displaced returns a message if the placement has several instances and none of them is at the address of its machine's port; otherwise "". That
// happens if a manifest was removed and comes back: etcd still has the old placement, but the new machines have other addresses, perhaps even each
// other's. Replacing an instance is then impossible, because all other instances would have to answer.
func (c *cluster) displaced(p *m3.Placement) string {
	if p == nil || len(p.Instances) < 2 {
		return ""
	}
	var addresses []string
	for _, h := range p.Instances {
		if m := c.Named(m3.MachineOf(h.ID)); m != nil && m.PortID != "" && m.Address == h.Address {
			return ""
		}
		addresses = append(addresses, printable.Name(printable.Clip(h.Address, maxAddress)))
	}
	if more := len(addresses) - maxShown; more > 0 {
		addresses = append(addresses[:maxShown], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("the placement in etcd lists machines with other addresses (%s), probably of a cluster that was deleted: delete the placement of %s, or give the cluster another name (docs/clusters.md)",
		strings.Join(addresses, ", "), c.at.Environment)
}

// foreign returns a message if the stack did not begin the placement; otherwise "". Manifests decide which addresses the stack's ports have, so the
// agent may be asking the M3DB of somebody else there.
func (c *cluster) foreign(p *m3.Placement) string {
	if p == nil || c.own {
		return ""
	}
	return othersPlacement(c.at.Environment)
}

func othersPlacement(environment string) string {
	return fmt.Sprintf("etcd has a placement of %s that this stack did not create, probably of a deleted cluster or another owner, so the placement is not changed; correct the addresses, delete that placement, "+
		"give the cluster another name (docs/clusters.md), or, if the placement is the stack's own, run openstack port set --tag %s and the ID of its port", environment, member.PlacementBegun)
}

const (
	maxShown   = 5  // how many addresses a message shows
	maxAddress = 64 // how many bytes of each address it shows
)
