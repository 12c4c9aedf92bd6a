package outbound

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Origin is the scheme, host and port of an address, in one spelling.
func Origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + net.JoinHostPort(hostOf(u.Hostname()), port)
}

func hostOf(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// Local reports whether a host is written as this machine's or its link's: no
// name is looked up.
func Local(host string) bool {
	host = hostOf(host)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && local(ip)
}

// local reports whether an IP address is this machine's own or link-local, where
// the metadata services of clouds are.
func local(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast()
}

// Loopback reports whether a host is written as this machine's own: no name is looked up.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}
