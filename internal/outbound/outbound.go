// Package outbound sends all HTTP requests of this program: to clouds, forges and Git servers. It
// has the bounds that all of them share, because none of them is trusted with more than its own
// answers:
//
//	redirects      to the same scheme, host and port, at most 3, with the method kept
//	headers        256 KiB
//	body           64 MiB after decompression, unless the caller sets another bound
//	addresses      this machine and its link only when the operator named such a host
//	time           dialling and handshakes; a whole exchange is bounded by its context
//
// An answer beyond a bound is an error, never a shorter answer. The package knows HTTP, and nothing
// of the requests. Callers add pace, retries, caches and credentials.
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
	// DefaultAnswer is the maximal size of an answer's body in bytes, decompressed.
	DefaultAnswer = 64 << 20
	maxHeader     = 256 << 10
	// MaxRedirects is the number of redirects that are followed.
	MaxRedirects  = 3
	dialTime      = 30 * time.Second
	handshakeTime = 10 * time.Second
	idleTime      = 90 * time.Second
)

var (
	// ErrRefused says that a request would go to an address that is not allowed.
	ErrRefused = errors.New("refused")
	// ErrTooLarge says that an answer is larger than its bound.
	ErrTooLarge = errors.New("the answer is too large")
)

// Config says how to reach servers. Its zero value is good for most.
type Config struct {
	TLS *tls.Config // nil trusts the system's authorities
	// MaxAnswer is the maximal size of a body in bytes; 0 is [DefaultAnswer].
	MaxAnswer int64
	// Home are the hosts that the operator has named. When it is not empty, other hosts must not
	// resolve to this machine or its link, where metadata services are, unless one of Home does.
	Home []string
	// Public says that untrusted people name the hosts. Hosts that are not in Home are then reached
	// at public addresses only.
	Public bool
	// ConnsPerHost bounds the connections, and IdlePerHost those that are kept. 0 means no bound,
	// and Go's default.
	ConnsPerHost, IdlePerHost int
	// HeaderTime is the time limit for the beginning of an answer; with 0, the request's context
	// alone limits it.
	HeaderTime time.Duration
}

// Transport sends requests one by one, and bounds their answers.
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

// Client sends requests through next, and follows redirects as far as the package allows. timeout
// limits a whole exchange; with 0, the context alone limits it.
func Client(next http.RoundTripper, timeout time.Duration) *http.Client {
	return &http.Client{Transport: next, Timeout: timeout, CheckRedirect: CheckRedirect}
}

// CheckRedirect allows a redirect to the same scheme, host and port that keeps the method. A
// redirect that changes the method to GET is an error, because the request was not carried out.
func CheckRedirect(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1]
	switch {
	case len(via) > MaxRedirects:
		return fmt.Errorf("%w: more than %d redirects", ErrRefused, MaxRedirects)
	case !SameOrigin(via[0].URL, req.URL):
		return private.Hidef("a redirect to another address is not followed", "%w: %s redirects to another address, %s, to which no credentials are sent; correct the configured address",
			ErrRefused, Origin(via[0].URL), Origin(req.URL))
	case from.Method != req.Method:
		return fmt.Errorf("%w: a redirect of %s, which would not be carried out", ErrRefused, from.Method)
	}
	return nil
}

// SameOrigin reports whether two addresses have the same scheme, host and port. An address that
// contains a login equals none.
func SameOrigin(a, b *url.URL) bool {
	return a.User == nil && b.User == nil && Origin(a) == Origin(b)
}
