package port

import (
	"net"
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// diffAddresses matches what the manifest asks for with what the port has. An
// entry that names no address is content with any of its subnet. Addresses
// that Neutron adds by itself, on every subnet where machines make their own
// (SLAAC), are no difference. While a subnet is not known, nothing is said.
func diffAddresses(w kind.Want[Spec], have *State, c *kind.Changes) {
	if w.Spec.anyAddress() && len(have.FixedIPs) > 0 {
		return
	}
	left := slices.Clone(have.FixedIPs)
	same := true
	var want []string
	for _, exact := range []bool{true, false} {
		for _, a := range w.Spec.Addresses {
			if (a.IP != nil) != exact {
				continue
			}
			subnet := w.Ref("Subnet", a.SubnetRef)
			if subnet.Name != "" && !subnet.Ready {
				return
			}
			want = append(want, token(subnet.ID, cloud.Or(a.IP, "any")))
			i := slices.IndexFunc(left, func(ip fixedIP) bool { return a.fits(subnet.ID, ip) })
			if same = same && i >= 0; i >= 0 {
				left = slices.Delete(left, i, i+1)
			}
		}
	}
	surplus := slices.ContainsFunc(left, func(ip fixedIP) bool { return !fromMAC(ip.IPAddress, have.MACAddress) })
	if same && !surplus {
		return
	}
	c.Add(kind.Change{Field: "spec.resource.addresses", Have: have.tokens(), Want: want, Disruption: kind.Replace})
}

func (a Address) fits(subnet string, ip fixedIP) bool {
	return (subnet == "" || subnet == ip.SubnetID) && (a.IP == nil || normal(*a.IP) == normal(ip.IPAddress))
}

func token(subnet, address string) string { return subnet + "/" + normal(address) }

// normal is the shortest spelling of an IP address, or of a network with its host bits,
// which make a difference to Neutron; what is neither stays as it is.
func normal(text string) string {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.String()
	}
	return table.IP(text)
}

func isAddressOrNetwork(text string) bool {
	if _, err := netip.ParseAddr(text); err == nil {
		return true
	}
	_, err := netip.ParsePrefix(text)
	return err == nil
}

// fromMAC tells whether an IPv6 address was made from the MAC address
// (RFC 4291, modified EUI-64).
func fromMAC(address, mac string) bool {
	ip, err := netip.ParseAddr(address)
	hw, macErr := net.ParseMAC(mac)
	if err != nil || macErr != nil || !ip.Is6() || len(hw) != 6 {
		return false
	}
	low := ip.As16()
	return [8]byte(low[8:]) == [8]byte{hw[0] ^ 2, hw[1], hw[2], 0xff, 0xfe, hw[3], hw[4], hw[5]}
}

func pairs(s *Spec) []addressPair {
	out := []addressPair{}
	for _, p := range s.AllowedAddressPairs {
		out = append(out, addressPair{IP: p.IP, MAC: cloud.Or(p.MAC, "")})
	}
	return out
}

// pairTexts spells pairs for comparison; own is the port's MAC address, which
// stands for one that is not given.
func pairTexts(list []addressPair, own string) []string {
	out := make([]string, len(list))
	for i, p := range list {
		mac := own
		if hw, err := net.ParseMAC(p.MAC); err == nil {
			mac = hw.String()
		}
		out[i] = normal(p.IP) + " " + mac
	}
	return out
}
