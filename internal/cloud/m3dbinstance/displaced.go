package m3dbinstance

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// displaced says of a placement that none of its instances, of several, is where the port of its machine is, and what to do; "" where that is not so. etcd keeps the
// placement of a cluster whose manifest goes, and when that comes back, its machines have other addresses, perhaps one another's. None of the instances can be
// replaced then, since all others would have to answer.
func (c *cluster) displaced(around kind.Around, p *m3.Placement) string {
	if p == nil || len(p.Instances) < 2 {
		return ""
	}
	var addresses []string
	ports, at := around.Owned("Port"), manifest.Key{Kind: "Port", Namespace: c.key.Namespace}
	for _, h := range p.Instances {
		at.Name = m3.MachineOf(h.ID)
		if port := ports[kind.OwnerText(around.Stack, at)]; port != nil && port.Facts.Address == h.Address {
			return ""
		}
		addresses = append(addresses, printable.Name(printable.Clip(h.Address, mostAddress)))
	}
	if more := len(addresses) - mostShown; more > 0 {
		addresses = append(addresses[:mostShown], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("the placement that etcd has is of machines that had other addresses (%s), as of a cluster that was deleted: delete the placement of %s, or give the cluster another name (docs/clusters.md)",
		strings.Join(addresses, ", "), m3.Environment(c.key.Namespace, c.name))
}

const (
	mostShown   = 5  // addresses that are named
	mostAddress = 64 // bytes of each
)
