package outbound

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"github.com/stackreeve/stackreeve/internal/private"
)

// special contains prefixes, in addition to the private ones, whose addresses are not addresses of hosts on the
// Internet, or contain another address. (IANA special-purpose address registries)
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("fec0::/10"),
}

// public reports whether an IP address is a public address of the Internet, and not of an interface of this
// machine.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if local(ip) || ip.IsPrivate() || len(embedded(ip)) > 0 || ours(ip) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

func notPublic(host string) error {
	return private.Hidef("the agent sends no request to an address that is not public", "%w: %s does not have a public address, and the configuration does not allow this host", ErrRefused, host)
}

// judge returns an error if a host is written as an IP address that is not public. This is checked here because
// a proxy would accept such an address.
func (d *dialer) judge(u *url.URL) error {
	host := hostOf(u.Hostname())
	if !d.public || d.home[host] {
		return nil
	}
	if ip, err := netip.ParseAddr(host); Local(host) || err == nil && !public(ip) {
		return notPublic(host)
	}
	return nil
}

// maxHops is the maximum number of redirects that a download follows. Mirrors answer with a few.
const maxHops = 5

// Downloads returns a client for addresses that untrusted people write. It sends no credentials. It follows
// redirects to other hosts, but never from https to http, and checks each host in the same way as the first.
// Redirected requests have no Referer, because addresses may contain secrets. The context of a request limits
// its time.
func Downloads(c Config) *http.Client {
	c.Public = true
	return &http.Client{Transport: New(c), CheckRedirect: elsewhere}
}

// Files returns a client for a server that the operator has configured, and that stores its files on other hosts,
// such as a registry. The client sends requests with next, and follows redirects in the same way as that of
// [Downloads]. Credentials are only sent to the scheme, host and port of the first request.
func Files(next http.RoundTripper) *http.Client {
	return &http.Client{Transport: next, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if slices.ContainsFunc(append(via[1:len(via):len(via)], req), func(hop *http.Request) bool { return !SameOrigin(via[0].URL, hop.URL) }) {
			req.Header.Del("Authorization")
		}
		return elsewhere(req, via)
	}}
}

// elsewhere allows a redirect to another host.
func elsewhere(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer")
	switch from := via[len(via)-1].URL; {
	case len(via) > maxHops:
		return fmt.Errorf("%w: more than %d redirects", ErrRefused, maxHops)
	case req.URL.Scheme != "https" && req.URL.Scheme != from.Scheme || req.URL.User != nil:
		return fmt.Errorf("%w: a redirect from %s to %s, or with a login in it", ErrRefused, from.Scheme, req.URL.Scheme)
	}
	return nil
}
