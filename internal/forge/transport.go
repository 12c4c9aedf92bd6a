package forge

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// TransportConfig says to which forge a [Transport] sends requests, with which credentials, and how
// many.
type TransportConfig struct {
	// URL is the root of the API. No request is sent to another host.
	URL *url.URL
	// Authorize returns the value of the Authorization header, and is called before each request.
	// If the forge answers 401, Renew is called with the refused value, unless it is nil. Then the
	// request is sent once more with a new value.
	Authorize func(context.Context) (string, error)
	Renew     func(refused string)
	// Base sends the requests; nil means [NewBase] without a CA.
	Base http.RoundTripper
	// PerHour is the number of requests that may be sent in an hour; 0 means [DefaultPerHour].
	PerHour int
	// WritesPerMinute limits the requests that change something. CreatesPerHour limits the requests
	// that create something (POST). 0 means no limit.
	WritesPerMinute, CreatesPerHour int
	// Words are the words in the API's paths. In a route, every other part of a path becomes *.
	Words []string
	// Observe is called with every request.
	Observe func(Exchange)
	// Fence is called right before each request that changes something. Its error says why nothing
	// may be written any more. nil means that there is no fence.
	Fence func() error
}

// DefaultPerHour is less than the 5,000 requests an hour that GitHub allows, so that other programs
// can use the rest.
const DefaultPerHour = 4000

// Exchange is one request that the transport has sent, or has refused to send.
type Exchange struct {
	Method string
	Route  string // the path with a * for each name and number
	Code   int    // 0 if there was no answer
	// Cached is true if the forge answered that nothing has changed. Refused is true if the
	// transport sent nothing, because of a limit or because of the fence.
	Cached, Refused bool
	Took            time.Duration
	Left            int // requests left in the budget of this hour
}

// Transport sends requests to one forge with one set of credentials. It makes a request conditional
// if it knows an earlier answer to it, and it counts requests against a budget. If the budget is
// spent or the forge asks it to wait, a request is not sent, and the error is a [*LimitedError].
//
// It knows HTTP and the limits that forges announce, but the API of no forge.
type Transport struct {
	config TransportConfig
	words  map[string]bool
	cache  cache
	limits limits
}

const (
	// maxAnswer is the maximal size of an answer in bytes. It is enough for a page of 100 comments
	// of maximal length.
	maxAnswer   = 48 << 20
	requestTime = 30 * time.Second
	maxParallel = 10
)

// NewTransport returns a transport that has sent nothing.
func NewTransport(c TransportConfig) *Transport {
	if c.PerHour <= 0 {
		c.PerHour = DefaultPerHour
	}
	if c.Base == nil {
		c.Base = NewBase(nil)
	}
	if c.Observe == nil {
		c.Observe = func(Exchange) {}
	}
	t := &Transport{config: c, words: map[string]bool{}, limits: newLimits(c)}
	for _, w := range c.Words {
		t.words[w] = true
	}
	return t
}

// NewBase returns a RoundTripper with a limited number of connections and limited times. If trust
// is nil, it trusts the system's certificate authorities.
func NewBase(trust *tls.Config) http.RoundTripper {
	return outbound.New(outbound.Config{TLS: trust, ConnsPerHost: maxParallel, HeaderTime: requestTime})
}

// Client returns a client that follows redirects, but only on the same host.
func (t *Transport) Client() *http.Client {
	c := outbound.Client(t, requestTime)
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > outbound.MaxRedirects {
			return fmt.Errorf("%w: more than %d redirects", ErrUnavailable, outbound.MaxRedirects)
		}
		if err := t.checkAddress(req.URL); err != nil {
			return err
		}
		if err := outbound.CheckRedirect(req, via); err != nil {
			return fmt.Errorf("%w: %w; was the repository renamed?", ErrRefused, err)
		}
		return nil
	}
	return c
}

// Budget returns how many requests are left in this hour, and the limit.
func (t *Transport) Budget() (left, of int) {
	return t.limits.remaining(time.Now()), t.config.PerHour
}

// checkAddress returns an error if an address is not on the forge's host.
func (t *Transport) checkAddress(u *url.URL) error {
	if outbound.SameOrigin(t.config.URL, u) {
		return nil
	}
	return fmt.Errorf("%w: %s leads to another host, %s, which gets no credentials; correct the URL in the configuration", ErrRefused, t.config.URL.Host, u.Host)
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if err := t.checkAddress(req.URL); err != nil {
		return nil, err
	}
	authorization, err := t.config.Authorize(req.Context())
	if err != nil {
		return nil, err
	}
	body, err := content(req)
	if err != nil {
		return nil, err
	}
	resp, err := t.exchange(req, body, authorization)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || t.config.Renew == nil {
		return resp, err
	}
	t.config.Renew(authorization)
	renewed, err := t.config.Authorize(req.Context())
	if err != nil || renewed == authorization {
		return resp, err
	}
	return t.exchange(req, body, renewed)
}

// content reads the body of a request, so that it can be sent twice.
func content(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	return io.ReadAll(req.Body)
}

// exchange sends a request once, unless a limit is reached, and reads the answer.
func (t *Transport) exchange(req *http.Request, body []byte, authorization string) (*http.Response, error) {
	start := time.Now()
	seen := Exchange{Method: req.Method, Route: t.route(req.URL.Path)}
	defer func() {
		seen.Took, seen.Left = time.Since(start), t.limits.remaining(time.Now())
		t.config.Observe(seen)
	}()
	if err := t.limits.take(req.Method, start); err != nil {
		seen.Refused = true
		return nil, err
	}
	sent := req.Clone(req.Context())
	sent.Header.Set("Authorization", authorization)
	if sent.Body = nil; body != nil {
		sent.Body = io.NopCloser(bytes.NewReader(body))
		sent.ContentLength = int64(len(body))
	}
	known := t.cache.conditional(sent)
	if t.config.Fence != nil && req.Method != http.MethodGet && req.Method != http.MethodHead {
		if err := t.config.Fence(); err != nil {
			seen.Refused = true
			return nil, err
		}
	}
	resp, err := t.config.Base.RoundTrip(sent)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	seen.Code = resp.StatusCode
	if err := read(resp); err != nil {
		return nil, err
	}
	hide(resp, authorization)
	if err := t.limits.heed(resp, time.Now()); err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusNotModified && known != nil {
		seen.Cached = true
		t.limits.free(time.Now())
		resp = known.answer(resp)
	} else {
		t.cache.keep(sent, resp)
	}
	resp.Request = req
	return resp, nil
}

// route returns a path with a * for each name and number, so that there are only few different
// routes.
func (t *Transport) route(path string) string {
	path = strings.TrimPrefix(path, strings.TrimSuffix(t.config.URL.Path, "/"))
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part != "" && !t.words[part] {
			parts[i] = "*"
		}
	}
	if len(parts) > 10 {
		parts = append(parts[:10], "…")
	}
	return strings.Join(parts, "/")
}
