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

// Machines sends requests directly to machines of the cloud: to their own addresses and not through a proxy. It
// follows no redirect, and uses one connection for each request. It refuses addresses of this machine and of its
// link.
type Machines struct {
	// Home also allows addresses of this machine, for tests.
	Home bool
	// Within contains the networks in which machines may be, from the configuration. Empty means all networks.
	Within []netip.Prefix
	// Through makes the connections. If it is nil, the usual dialer makes them. It is for tests.
	Through func(ctx context.Context, network, address string) (net.Conn, error)
	// Fence is called immediately before each request other than GET. If it returns an error, the request is not
	// sent, because nothing may be changed any more. The request gets the context that Fence returns. That context
	// ends when nothing may be changed any more. If Fence is nil, it is not called.
	Fence func(context.Context) (context.Context, error)
}

// Dial opens a TCP connection to an IP address and port.
func (m Machines) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return nil, err
	case !m.Home && (local(at.Addr()) || ours(at.Addr())):
		return nil, fmt.Errorf("%w: %s is or contains a link-local address, or an address of this machine", ErrRefused, at.Addr())
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

// Do sends a request. name is the server name in TLS, and any certificate is accepted. The size of the answer's
// body is limited. A redirect is returned as the answer.
func (m Machines) Do(req *http.Request, name string) (*http.Response, error) {
	return m.do(req, whoever(name), nil, maxHeader)
}

// DoTrusting does the same as Do, but the machine must have a certificate that trust accepts. If trust is nil,
// the request is sent without TLS.
func (m Machines) DoTrusting(req *http.Request, trust *tls.Config) (*http.Response, error) {
	return m.do(req, trust, nil, maxHeader)
}

// DoLarge does the same as DoTrusting, but the answer may have up to most bytes.
func (m Machines) DoLarge(req *http.Request, trust *tls.Config, most int64) (*http.Response, error) {
	return m.do(req, trust, nil, most)
}

// whoever returns a TLS configuration that accepts any certificate.
func whoever(name string) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, ServerName: name, InsecureSkipVerify: true} //nolint:gosec // the request asks whether the machine answers, not who it is
}

// DoHTTP2 does the same as Do with HTTP/2 without TLS. The machine must accept HTTP/2 from the start.
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
