package cloud

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Request is one HTTP request that was made, for metrics and logs.
type Request struct {
	Service string // first word of the endpoint's path or host, e.g. "network"
	Method  string
	Code    int // 0 when no answer came
	Took    time.Duration
}

// Limits bound what a client asks of the cloud.
type Limits struct {
	PerSecond float64       // requests per second; 300
	Burst     int           // requests at once; 100
	Timeout   time.Duration // of one request, its answer's body included; 60 s
	Retries   int           // of a read that failed; 3
}

func (l Limits) orDefaults() Limits {
	if l.PerSecond == 0 {
		l.PerSecond = 300
	}
	if l.Burst == 0 {
		l.Burst = 100
	}
	if l.Timeout == 0 {
		l.Timeout = time.Minute
	}
	if l.Retries == 0 {
		l.Retries = 3
	}
	return l
}

// maxRetryAfter is the longest a single request waits because a server asked
// for it; beyond that the caller is told.
const maxRetryAfter = 30 * time.Second

// transport paces requests, bounds each of them, retries reads and logins, and
// tells who watches. Writes are retried only when the server says that it did not look
// at them (429): for anything else the cloud must be observed first.
type transport struct {
	next    http.RoundTripper
	limits  Limits
	pace    *rate.Limiter
	observe func(Request)
	log     *slog.Logger
}

func newTransport(creds credentials, c Config) *transport {
	limits := c.Limits.orDefaults()
	log := c.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	home := []string{creds.home.Hostname()}
	for _, u := range creds.overrides {
		home = append(home, u.Hostname())
	}
	var next http.RoundTripper = outbound.New(outbound.Config{TLS: creds.tls, Home: home, IdlePerHost: 32})
	if c.Wrap != nil {
		next = c.Wrap(next)
	}
	return &transport{
		next: next, limits: limits, pace: rate.NewLimiter(rate.Limit(limits.PerSecond), limits.Burst), observe: c.Observe, log: log,
	}
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	for try := 0; ; try++ {
		resp, err := t.once(req)
		pause, again := t.again(req, resp, err, try)
		if !again {
			return resp, err
		}
		if resp != nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // so that the connection can be used again
			_ = resp.Body.Close()
		}
		t.log.Debug("request is tried again", "method", req.Method, "path", t.path(req), "pause", pause)
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-req.Context().Done():
			timer.Stop()
			return nil, req.Context().Err()
		}
		if req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

func (t *transport) once(req *http.Request) (*http.Response, error) {
	if err := t.pace.Wait(req.Context()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(req.Context(), t.limits.Timeout)
	started := time.Now()
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	seen := Request{Service: serviceOf(req), Method: req.Method, Took: time.Since(started)}
	if err == nil && resp.StatusCode >= 400 {
		resp.Body = words{io.LimitReader(resp.Body, maxWords), resp.Body}
	}
	switch {
	case err != nil:
		cancel()
	case repeatable(req):
		seen.Code = resp.StatusCode
		if err = readWhole(resp); err != nil {
			resp = nil
		}
		cancel()
	default:
		seen.Code = resp.StatusCode
		resp.Body = &body{resp.Body, cancel}
	}
	if t.observe != nil {
		t.observe(seen)
	}
	t.log.Debug("request", "service", seen.Service, "method", req.Method, "path", t.path(req), "code", seen.Code, "took", seen.Took)
	return resp, err
}

// path is a request's path as logs may hold it: names and links in it may be what
// others wrote.
func (t *transport) path(req *http.Request) string {
	if !t.log.Enabled(req.Context(), slog.LevelDebug) {
		return ""
	}
	return redact.From(req.Context()).Text(req.URL.Path)
}

// maxWords is how much of a refusal is read: its first words are shown.
const maxWords = 1 << 20

// words are the beginning of a body.
type words struct {
	io.Reader
	io.Closer
}

// repeatable requests change nothing that lasts: those that read, and logins.
func repeatable(req *http.Request) bool {
	return req.Method == http.MethodGet || req.Method == http.MethodHead || isLogin(req)
}

func isLogin(req *http.Request) bool {
	return req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/auth/tokens")
}

// readWhole takes in the answer's body, so that one that breaks off is known
// while the request can still be repeated.
func readWhole(resp *http.Response) error {
	var whole bytes.Buffer
	_, err := whole.ReadFrom(resp.Body)
	_ = resp.Body.Close() // read to its end
	switch text := whole.Bytes(); {
	case err != nil:
		return err
	case len(text) > 0 && strings.Contains(resp.Header.Get("Content-Type"), "json") && !json.Valid(text):
		return errors.New("the answer is cut off")
	}
	resp.Body = io.NopCloser(bytes.NewReader(whole.Bytes()))
	return nil
}

// body ends the request's deadline with its answer.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// again decides whether a request is tried once more, and after what pause.
func (t *transport) again(req *http.Request, resp *http.Response, err error, try int) (time.Duration, bool) {
	if try >= t.limits.Retries || req.Context().Err() != nil || req.Body != nil && req.GetBody == nil {
		return 0, false
	}
	pause := 200 * time.Millisecond << try
	pause += time.Duration(rand.Int64N(int64(pause)))
	switch {
	case err != nil:
		// A second try would not end otherwise.
		final := errors.As(err, new(*tls.CertificateVerificationError)) || errors.Is(err, outbound.ErrRefused) || errors.Is(err, outbound.ErrTooLarge)
		return pause, repeatable(req) && !final
	case resp.StatusCode == http.StatusTooManyRequests:
	case resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented && repeatable(req):
	default:
		return 0, false
	}
	asked := retryAfter(resp.Header)
	return max(pause, asked), asked <= maxRetryAfter
}

// longestWait is as much of a server's wish as is granted: it is asked again
// after that, whatever it has said.
const longestWait = 15 * time.Minute

// retryAfter is how long a server asks to wait; 0 when it does not say.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return time.Duration(min(n, int(longestWait/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, time.Until(at)), longestWait)
	}
	return 0
}

// serviceName is the key under which a request's context tells its service.
type serviceName struct{}

// serviceOf names the service of a request for metrics: as its caller knows
// it, by the first word of its path, or by the port when the path says only a
// version.
func serviceOf(req *http.Request) string {
	if name, ok := req.Context().Value(serviceName{}).(string); ok {
		return name
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	if name, ok := defaultPorts[req.URL.Port()]; ok {
		return name
	}
	if first == "" || strings.HasPrefix(first, "v") && len(first) <= 4 {
		return req.URL.Hostname()
	}
	return first
}

// defaultPorts are the ports at which the services listen by default.
// (docs.openstack.org/install-guide/firewalls-default-ports.html)
var defaultPorts = map[string]string{
	"5000": "identity", "8774": "compute", "9696": "network", "9292": "image", "8776": "volume", "9876": "load-balancer", "8778": "placement",
}
