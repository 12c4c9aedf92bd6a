package outbound

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"github.com/stackreeve/stackreeve/internal/private"
)

// special are addresses besides private ones that belong to no host on the Internet, or embed another
// address. (IANA special-purpose address registries)
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("fec0::/10"),
}

// public reports whether an IP address is one of the Internet's, and of no interface of this machine.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if local(ip) || ip.IsPrivate() || len(embedded(ip)) > 0 || ours(ip) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

func notPublic(host string) error {
	return private.Hidef("an address that is not public is not asked", "%w: %s is not on a public address, and the configuration does not name it", ErrRefused, host)
}

// judge refuses a host that is written as an address that is not public, because a proxy would not
// refuse it.
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

// mostHops is the number of redirects that a download follows: mirrors answer with a few.
const mostHops = 5

// Downloads sends requests to addresses that untrusted people name, without credentials. It follows
// redirects to other hosts, but never from https to http, and checks each host like the first one.
// Redirected requests have no Referer: addresses may hold secrets. A request's context bounds its
// time.
func Downloads(c Config) *http.Client {
	c.Public = true
	return &http.Client{Transport: New(c), CheckRedirect: func(req *http.Request, via []*http.Request) error {
		req.Header.Del("Referer")
		switch from := via[len(via)-1].URL; {
		case len(via) > mostHops:
			return fmt.Errorf("%w: more than %d redirects", ErrRefused, mostHops)
		case req.URL.Scheme != "https" && req.URL.Scheme != from.Scheme || req.URL.User != nil:
			return fmt.Errorf("%w: a redirect from %s to %s, or with a login in it", ErrRefused, from.Scheme, req.URL.Scheme)
		}
		return nil
	}}
}
