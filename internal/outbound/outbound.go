// Package outbound sends all HTTP requests of this program, such as those to clouds, forges and Git servers. It applies the
// same limits to all of them, because none of these servers is trusted beyond its own answers:
//
//	redirects      are followed to the same scheme, host and port, with the same method, at most 3; see also [Downloads] and [Files]
//	headers        have at most 256 KiB
//	body           has at most 64 MiB after decompression, unless the caller sets another limit
//	addresses      of this machine and its link are allowed only if the operator has configured such a host
//	time           is limited for dialling and handshakes; the context limits a whole exchange
//
// If an answer exceeds a limit, the request returns an error and never a shorter answer. The package implements
// HTTP, and does not depend on the content of the requests. Its callers add rate limits, retries, caches and
// credentials.
package outbound

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/stackreeve/stackreeve/internal/private"
)

const (
	// DefaultAnswer is the maximum size of an answer's body in bytes, after decompression.
	DefaultAnswer = 64 << 20
	maxHeader     = 256 << 10
	// MaxRedirects is the maximum number of redirects that are followed.
	MaxRedirects  = 3
	dialTime      = 30 * time.Second
	handshakeTime = 10 * time.Second
	idleTime      = 90 * time.Second
)

var (
	// ErrRefused is the error that a request would be sent to an address that is not allowed.
	ErrRefused = errors.New("refused")
	// ErrTooLarge is the error that an answer exceeds its limit.
	ErrTooLarge = errors.New("the answer is too large")
)

// Config configures the access to servers. Its zero value is right for most servers.
type Config struct {
	TLS *tls.Config // nil trusts the system's authorities
	// MaxAnswer is the maximum size of a body in bytes. 0 means [DefaultAnswer].
	MaxAnswer int64
	// Home contains the hosts that the operator has configured. If it is not empty, other hosts must not resolve to
	// this machine or to its link, where metadata services are. This rule does not apply if a host in Home itself
	// resolves to such an address.
	Home []string
	// Public is set if untrusted people write the hosts. Then hosts that are not in Home must have public
	// addresses.
	Public bool
	// ConnsPerHost is the maximum number of connections; 0 means no limit. IdlePerHost is the maximum number of
	// idle connections; 0 means Go's default.
	ConnsPerHost, IdlePerHost int
	// HeaderTime is the time limit for the beginning of an answer. If it is 0, only the context of the request
	// limits the time.
	HeaderTime time.Duration
}

// Transport sends requests within the limits of the package, except that it follows no redirects: a [Client] does that.
type Transport struct {
	base *http.Transport
	most int64
	dial *dialer
}

// New returns a transport without connections.
func New(c Config) *Transport {
	trust := &tls.Config{}
	if c.TLS != nil {
		trust = c.TLS.Clone()
	}
	trust.MinVersion = max(trust.MinVersion, tls.VersionTLS12)
	if c.MaxAnswer == 0 {
		c.MaxAnswer = DefaultAnswer
	}
	dial := newDialer(c.Home)
	dial.public = c.Public
	return &Transport{most: c.MaxAnswer, dial: dial, base: &http.Transport{
		Proxy: dial.proxy, DialContext: dial.dial, TLSClientConfig: trust, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: handshakeTime, IdleConnTimeout: idleTime, ResponseHeaderTimeout: c.HeaderTime, ExpectContinueTimeout: time.Second,
		MaxConnsPerHost: c.ConnsPerHost, MaxIdleConnsPerHost: c.IdlePerHost, MaxResponseHeaderBytes: maxHeader,
	}}
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.dial.judge(req.URL); err != nil {
		return nil, err
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	return bound(resp, t.most)
}

// CloseIdleConnections implements the method that [http.Client.CloseIdleConnections] calls.
func (t *Transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// Client returns a client that sends requests with next, and follows only the redirects that this package
// allows. timeout limits a whole exchange. If it is 0, only the context limits the time.
func Client(next http.RoundTripper, timeout time.Duration) *http.Client {
	return &http.Client{Transport: next, Timeout: timeout, CheckRedirect: CheckRedirect}
}

// CheckRedirect allows a redirect only if the scheme, host, port and method stay the same. A redirect that
// changes the method to GET is an error, because the request was not carried out.
func CheckRedirect(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1]
	switch {
	case len(via) > MaxRedirects:
		return fmt.Errorf("%w: more than %d redirects", ErrRefused, MaxRedirects)
	case !SameOrigin(via[0].URL, req.URL):
		return private.Hidef("a redirect to another address is not followed", "%w: %s redirects to another address, %s, to which no credentials are sent; correct the configured address",
			ErrRefused, Origin(via[0].URL), Origin(req.URL))
	case from.Method != req.Method:
		return fmt.Errorf("%w: a redirect of %s, which would lose the request", ErrRefused, from.Method)
	}
	return nil
}

// SameOrigin reports whether two addresses have the same scheme, host and port. If the address a contains a
// login, the result is false.
func SameOrigin(a, b *url.URL) bool {
	return a.User == nil && b.User == nil && Origin(a) == Origin(b)
}
