package define

import (
	"fmt"
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Outside says of a field that the address in it is not one of the subnet that it is to be
// from; "" where it is, or where that is not known.
func Outside(field, address string, subnet kind.Ref) string {
	network, noNetwork := netip.ParsePrefix(subnet.Facts.CIDR)
	asked, noAddress := netip.ParseAddr(address)
	if noNetwork != nil || noAddress != nil || network.Contains(asked.Unmap()) {
		return ""
	}
	return fmt.Sprintf("%s: %s is not in %s, the addresses of Subnet %s; choose one of them", field, asked, network, subnet.Name)
}
