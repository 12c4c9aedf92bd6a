package outbound

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
)

// Machines sends requests directly to machines of the cloud: to their own addresses and not through a proxy. It accepts
// any certificate, follows no redirect, and uses one connection for each request. It refuses addresses of this machine and
// its link.
type Machines struct {
	// Home also allows addresses of this machine, for tests.
	Home bool
	// Within are the networks in which machines may be, by the configuration; empty means all.
	Within []netip.Prefix
	// Through makes the connections; nil for the usual dialer. It is for tests.
	Through func(ctx context.Context, network, address string) (net.Conn, error)
	// Fence is called right before each request other than GET. Its error says why nothing may be changed any more. The
	// request is sent in the context that Fence returns, which ends when nothing may be changed any more. nil means no
	// fence.
	Fence func(context.Context) (context.Context, error)
}

// Dial opens a TCP connection to an IP address and port.
func (m Machines) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return nil, err
	case !m.Home && (local(at.Addr()) || ours(at.Addr())):
		return nil, fmt.Errorf("%w: %s is an address of this machine or its link, or has one within it", ErrRefused, at.Addr())
	case !m.Allows(at.Addr()):
		return nil, fmt.Errorf("%w: %s is in none of the networks in spec.defaults.machineNetworks of the stack's configuration", ErrRefused, at.Addr())
	}
	if m.Through != nil {
		return m.Through(ctx, network, address)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// Allows reports whether the configuration allows requests to machines at an address.
func (m Machines) Allows(ip netip.Addr) bool {
	ip = ip.WithZone("").Unmap()
	return len(m.Within) == 0 || slices.ContainsFunc(m.Within, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// Do sends a request; name is the server name in TLS. The answer's body is bounded. A redirect is returned as the answer.
func (m Machines) Do(req *http.Request, name string) (*http.Response, error) {
	return m.do(req, whoever(name), nil, maxHeader)
}

// DoTrusting is Do, but the machine has to show a certificate that trust allows; nil for HTTP.
func (m Machines) DoTrusting(req *http.Request, trust *tls.Config) (*http.Response, error) {
	return m.do(req, trust, nil, maxHeader)
}

// DoLarge is DoTrusting with an answer of up to most bytes.
func (m Machines) DoLarge(req *http.Request, trust *tls.Config, most int64) (*http.Response, error) {
	return m.do(req, trust, nil, most)
}

// whoever trusts any certificate.
func whoever(name string) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, ServerName: name, InsecureSkipVerify: true} //nolint:gosec // it is asked whether it answers, not who it is
}

// DoHTTP2 is Do with HTTP/2 without TLS, which the machine has to speak from the start.
func (m Machines) DoHTTP2(req *http.Request) (*http.Response, error) {
	unencrypted := new(http.Protocols)
	unencrypted.SetUnencryptedHTTP2(true)
	return m.do(req, nil, unencrypted, maxHeader)
}

func (m Machines) do(req *http.Request, trust *tls.Config, protocols *http.Protocols, most int64) (*http.Response, error) {
	if m.Fence != nil && req.Method != http.MethodGet {
		within, err := m.Fence(req.Context())
		if err != nil {
			return nil, err
		}
		req = req.WithContext(within)
	}
	base := &http.Transport{DialContext: m.Dial, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader, Protocols: protocols, TLSClientConfig: trust}
	resp, err := base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	return bound(resp, most)
}
