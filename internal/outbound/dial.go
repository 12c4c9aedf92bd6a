package outbound

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/stackreeve/stackreeve/internal/private"
)

// dialer checks the IP addresses to which names resolve. An answer can name another host, and the owner of that name can let it resolve to an
// address of this machine or of a private network.
type dialer struct {
	home    map[string]bool
	public  bool
	proxies sync.Map    // host:port of the proxies in the environment
	local   atomic.Bool // reports whether a host that the operator configured is on this machine
}

func newDialer(home []string) *dialer {
	d := &dialer{home: map[string]bool{}}
	for _, host := range home {
		d.home[hostOf(host)] = true
	}
	return d
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	_, proxy := d.proxies.Load(address)
	home := d.home[hostOf(host)]
	base := net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second}
	base.Control = func(_, to string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(to)
		if d.public && !proxy && !home && (err != nil || !public(at.Addr())) {
			return notPublic(host)
		}
		switch {
		case d.public || len(d.home) == 0 || proxy || err != nil || !local(at.Addr()):
			return nil
		case home:
			d.local.Store(true)
			return nil
		case d.local.Load():
			return nil
		}
		return private.Hidef("the agent sends no request to its own machine", "%w: %s is %s, which is on this machine or link-local, but the configured address is not", ErrRefused, host, at.Addr())
	}
	return base.DialContext(ctx, network, address)
}

// proxy returns the environment's proxy for a request.
func (d *dialer) proxy(req *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(req)
	if err != nil || u == nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	d.proxies.Store(net.JoinHostPort(u.Hostname(), port), true)
	return u, nil
}
