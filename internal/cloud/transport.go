package cloud

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/redact"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// Request is one HTTP request that was sent, for metrics and logs.
type Request struct {
	Service string // catalog type, or the name that serviceOf finds, e.g. "network"
	Method  string
	Code    int // 0 if no answer came
	Took    time.Duration
	Waited  time.Duration // until the load of the cloud allowed to send it
	Allowed int           // requests that may be in flight to its endpoint from now on; 0 if there is no limit
}

// Limits bound a client's requests to the cloud. The comment of each field names its default. Clients that share their cloud use CloudPerSecond
// and Burst of the first one.
type Limits struct {
	PerSecond      float64       // requests per second; default 300.
	CloudPerSecond float64       // of all clients; default 1,000.
	Burst          int           // requests in flight to an endpoint, and at once above the rates; default 100.
	Timeout        time.Duration // of one request and its answer; default 60 s.
	Retries        int           // of a failed read; default 3.
}

func (l Limits) orDefaults() Limits {
	if l.PerSecond == 0 {
		l.PerSecond = 300
	}
	if l.CloudPerSecond == 0 {
		l.CloudPerSecond = 1000
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

// answeredOnce is the key of a context whose requests are not retried after an answer.
type answeredOnce struct{}

// firstRetry is the longest pause before the first retry of a request; the shortest is half of it.
const firstRetry = 400 * time.Millisecond

// maxRetryAfter is the longest time that a single request waits because a server asked for it. If
// the server asks for more, the caller gets an error.
const maxRetryAfter = 30 * time.Second

// transport paces requests, bounds each of them, retries reads and logins, and reports to
// observers. It retries writes only when the server says that it did not process them (429). After
// any other failure the cloud must be observed first.
type transport struct {
	next    http.RoundTripper
	limits  Limits
	pace    *rate.Limiter
	load    *load // of the cloud; nil for servers outside it
	observe func(Request)
	fence   func(context.Context) (context.Context, error) // nil if there is none
	log     *slog.Logger
}

// way returns the transport from a client to the cloud. If with is not nil, the client shares it
// with the clients of that group.
func way(creds credentials, c Config, with *group) http.RoundTripper {
	if with == nil {
		return newTransport(c, connections(creds), newLoad(c.Limits))
	}
	return sharing{with, newTransport(c, with.network, c.Sharing.loadOf(creds.home, c.Limits))}
}

func connections(creds credentials) http.RoundTripper {
	home := []string{creds.home.Hostname()}
	for _, u := range creds.overrides {
		home = append(home, u.Hostname())
	}
	return outbound.New(outbound.Config{TLS: creds.tls, Home: home, IdlePerHost: 32})
}

func newTransport(c Config, next http.RoundTripper, on *load) *transport {
	limits := c.Limits.orDefaults()
	log := c.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if c.Wrap != nil {
		next = c.Wrap(next)
	}
	return &transport{
		next: next, limits: limits, pace: rate.NewLimiter(rate.Limit(limits.PerSecond), limits.Burst), load: on, observe: c.Observe, fence: c.Fence, log: log,
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
		if backoff.Wait(req.Context(), pause) != nil {
			return nil, unsentError{req.Context().Err()} // the cloud did not process the request, or the request only reads
		}
		if req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// once sends a request as soon as the load of the cloud allows it.
func (t *transport) once(req *http.Request) (*http.Response, error) {
	asked := time.Now()
	waited := trace.Begin(req.Context(), "wait for a turn", map[string]string{"stackreeve.service": serviceOf(req)})
	at := t.load.turnsAt(req, t.limits.Timeout)
	mine, err := t.turn(req.Context(), at)
	if err != nil {
		return nil, unsentError{err}
	}
	started := time.Now()
	if started.Sub(asked) >= tracedWait {
		waited(false)
	}
	resp, code, err := t.send(req)
	ended := time.Now()
	pause, all := pauseOf(resp)
	x := exchange{classOfRequest(req), started, ended, mine.beside, outcomeOf(req, code, err)}
	seen := Request{Service: serviceOf(req), Method: req.Method, Code: code, Took: ended.Sub(started), Waited: started.Sub(asked), Allowed: at.done(t, x, pause, all)}
	if errors.As(err, new(fencedError)) {
		return nil, unsentError{err}
	}
	if t.observe != nil {
		t.observe(seen)
	}
	t.log.Debug("request", "service", seen.Service, "method", req.Method, "path", t.path(req), "code", seen.Code, "took", seen.Took, "waited", seen.Waited, "allowed", seen.Allowed)
	return resp, err
}

// fencedError is the error of a write that the fence did not allow.
type fencedError struct{ error }

func (e fencedError) Unwrap() error { return e.error }

// send sends a request. It also returns the code of the answer; 0 if no answer came.
func (t *transport) send(req *http.Request) (*http.Response, int, error) {
	bound := t.limits.Timeout
	if long, ok := req.Context().Value(allowed{}).(time.Duration); ok {
		bound = long
	}
	ctx, cancel := context.WithTimeout(req.Context(), bound)
	if t.fence != nil && !repeatable(req) {
		within, err := t.fence(ctx)
		if err != nil {
			cancel()
			return nil, 0, fencedError{err}
		}
		ctx = within
	}
	ctx, waits := connecting(ctx)
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		if waits.Load() {
			err = unsentError{err}
		}
		return resp, 0, err
	}
	code := resp.StatusCode
	if code >= 400 {
		resp.Body = words{io.LimitReader(resp.Body, maxWords), resp.Body}
	}
	if most, ok := req.Context().Value(bytesRead{}).(int64); ok && code < 400 {
		resp.Body = words{io.LimitReader(resp.Body, most+1), resp.Body} // one more byte shows that the answer is too long
	}
	if !repeatable(req) {
		resp.Body = &body{resp.Body, cancel}
		return resp, code, nil
	}
	defer cancel()
	if err = readWhole(resp); err != nil {
		return nil, code, err
	}
	return resp, code, nil
}

// path is a request's path as logs may show it: its names and links may contain text that others
// wrote.
func (t *transport) path(req *http.Request) string {
	if !t.log.Enabled(req.Context(), slog.LevelDebug) {
		return ""
	}
	return redact.From(req.Context()).Text(req.URL.Path)
}

// repeatable reports whether a request changes nothing that lasts: reads and logins.
func repeatable(req *http.Request) bool {
	return req.Method == http.MethodGet || req.Method == http.MethodHead || isLogin(req)
}

func isLogin(req *http.Request) bool {
	return req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, loginPath)
}

const loginPath = "/auth/tokens"

// again decides whether a request is retried, and after which pause.
func (t *transport) again(req *http.Request, resp *http.Response, err error, try int) (time.Duration, bool) {
	if try >= t.limits.Retries || req.Context().Err() != nil || req.Body != nil && req.GetBody == nil {
		return 0, false
	}
	pause := backoff.Spread(backoff.Pause(firstRetry, maxRetryAfter, try+1))
	switch {
	case err != nil:
		// A second try would end in the same way.
		final := errors.As(err, new(*tls.CertificateVerificationError)) || errors.Is(err, outbound.ErrRefused) || errors.Is(err, outbound.ErrTooLarge) || errors.Is(err, errNoTurn)
		return pause, repeatable(req) && !final
	case req.Context().Value(answeredOnce{}) != nil:
		return 0, false
	case resp.StatusCode == http.StatusTooManyRequests:
	case resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented && repeatable(req):
	default:
		return 0, false
	}
	asked := retryAfter(resp.Header)
	return max(pause, asked), asked <= maxRetryAfter
}

// longestWait is the longest time that the agent waits because a server asked for it. Then the
// agent sends its request again.
const longestWait = 15 * time.Minute

// retryAfter is how long a server asks to wait; 0 if it does not say.
func retryAfter(h http.Header) time.Duration {
	wait, _ := outbound.RetryAfter(h, time.Now())
	return min(wait, longestWait)
}

// allowed is the key of a request's context for the time that it may take.
type allowed struct{}

// bytesRead is the key of a request's context for the number of bytes to read of its answer.
type bytesRead struct{}

// serviceName is the key of a request's context for the name of its service.
type serviceName struct{}

// serviceOf returns the name of a request's service for metrics. If the caller has not set a name,
// it is the service with that port, else the first word of the path, else the host.
func serviceOf(req *http.Request) string {
	if name, ok := req.Context().Value(serviceName{}).(string); ok {
		return name
	}
	port := req.URL.Port()
	if i := slices.IndexFunc(services, func(s service) bool { return s.port == port }); i >= 0 {
		return services[i].name
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	if first == "" || strings.HasPrefix(first, "v") && len(first) <= 4 {
		return req.URL.Hostname()
	}
	return first
}
