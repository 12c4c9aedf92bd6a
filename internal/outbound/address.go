package outbound

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Origin returns the scheme, host and port of an address in canonical spelling.
func Origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + net.JoinHostPort(hostOf(u.Hostname()), port)
}

func hostOf(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// Local reports whether a host is written as an address of this machine or of its link. No name is resolved.
func Local(host string) bool {
	host = hostOf(host)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && local(ip)
}

// local reports whether an IP address, or one that is embedded in it, is a loopback or link-local address. The
// metadata services of clouds have link-local addresses. For the addresses of this machine's interfaces, see
// [ours].
func local(ip netip.Addr) bool {
	ip = ip.WithZone("").Unmap()
	return reserved(ip) || slices.ContainsFunc(embedded(ip), reserved)
}

func reserved(ip netip.Addr) bool {
	return ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || metadata[ip]
}

// metadata are the addresses of clouds' metadata services that are not link-local.
var metadata = map[netip.Addr]bool{
	netip.MustParseAddr("fd00:ec2::254"):   true, // AWS
	netip.MustParseAddr("fd20:ce::254"):    true, // Google
	netip.MustParseAddr("100.100.100.200"): true, // Alibaba
	netip.MustParseAddr("168.63.129.16"):   true, // Azure
	netip.MustParseAddr("192.0.0.192"):     true, // Oracle
}

// forms contains the IPv6 prefixes whose addresses contain an IPv4 address, and the offset of that address. A
// router or this machine sends packets for such an address to the IPv4 address.
var forms = []struct {
	prefix   netip.Prefix
	at       int
	inverted bool
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12, false},    // NAT64 (RFC 6052)
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12, false},  // local-use NAT64 (RFC 8215)
	{netip.MustParsePrefix("2002::/16"), 2, false},        // 6to4 (RFC 3056)
	{netip.MustParsePrefix("2001::/32"), 4, false},        // Teredo: the server (RFC 4380)
	{netip.MustParsePrefix("2001::/32"), 12, true},        // Teredo: the client
	{netip.MustParsePrefix("::/96"), 12, false},           // compatible (RFC 4291, 2.5.5.1)
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12, false}, // translated (RFC 2765)
}

// embedded returns the IPv4 addresses that are embedded in an IPv6 address.
func embedded(ip netip.Addr) (all []netip.Addr) {
	if !ip.Is6() {
		return nil
	}
	b := ip.As16()
	four := func(at int, inverted bool) {
		var v4 [4]byte
		copy(v4[:], b[at:])
		for i := range v4 {
			if inverted {
				v4[i] = ^v4[i]
			}
		}
		all = append(all, netip.AddrFrom4(v4))
	}
	for _, f := range forms {
		if f.prefix.Contains(ip) {
			four(f.at, f.inverted)
		}
	}
	if b[8]&^3 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe { // ISATAP (RFC 5214, 6.1)
		four(12, false)
	}
	return all
}

// ours reports whether an IP address, or one that is embedded in it, is the address of an interface of this
// machine.
func ours(ip netip.Addr) bool {
	ip = ip.WithZone("").Unmap()
	own, err := net.InterfaceAddrs()
	return slices.ContainsFunc(append(embedded(ip), ip), func(ip netip.Addr) bool {
		if err != nil { // this process may not list interfaces
			return answersItself(ip)
		}
		return slices.ContainsFunc(own, func(a net.Addr) bool {
			at, err := netip.ParsePrefix(a.String())
			return err == nil && at.Addr().Unmap() == ip
		})
	})
}

// answersItself reports whether packets to an address would have the same address as their source. It sends no
// packet.
func answersItself(ip netip.Addr) bool {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 9)))
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // nothing was sent
	from, err := netip.ParseAddrPort(conn.LocalAddr().String())
	return err == nil && from.Addr().WithZone("").Unmap() == ip
}

// Loopback reports whether a host is written as this machine's own address. No name is resolved.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}
