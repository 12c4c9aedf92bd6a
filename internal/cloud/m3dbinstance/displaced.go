package m3dbinstance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// displaced says of a placement that all of its instances, of several, are where the stack has no port, and what to do; "" where that is not so. etcd keeps the
// placement of a cluster whose manifest goes, and when that comes back, its machines have other addresses. None of the instances can be replaced then, since
// all others would have to answer.
func (c *cluster) displaced(around kind.Around, p *m3.Placement) string {
	if p == nil || len(p.Instances) < 2 {
		return ""
	}
	var addresses []string
	for _, h := range p.Instances {
		if ported(around, h.Address) {
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

// ported reports whether the cloud shows a port with an address, of whomever.
func ported(around kind.Around, address string) bool {
	return slices.ContainsFunc(around.Have["Port"].Items, func(p kind.Live[any]) bool {
		return p.Facts.Address == address || slices.Contains(p.Facts.Addresses, address)
	})
}
