package artifact

import (
	"net/http"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

const headerTime = 30 * time.Second

func newClient(caFile string, at place) (*http.Client, error) {
	trust, err := outbound.Trusting(caFile)
	if err != nil {
		return nil, failure.New(failure.ErrConfig, "caFile: %s", err)
	}
	base := outbound.New(outbound.Config{TLS: trust, MaxAnswer: maxArchive + 1, Home: []string{at.hostname()}, IdlePerHost: 2, HeaderTime: headerTime})
	return outbound.Files(&guard{next: base}), nil
}

// guard refuses requests that are not encrypted, and sends none while a server wants to be left alone.
type guard struct {
	next http.RoundTripper

	mu    sync.Mutex
	until time.Time
}

// longestPause limits the time for which a server is left alone.
const longestPause = time.Hour

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" && !outbound.Loopback(req.URL.Hostname()) {
		return nil, failure.New(failure.ErrConfig, "the server refers to an address that is not encrypted; it must refer to https")
	}
	g.mu.Lock()
	until := g.until
	g.mu.Unlock()
	if time.Now().Before(until) {
		return nil, failure.New(failure.ErrUnavailable, "the server accepts no request before %s; the agent tries again at the next poll after that", until.UTC().Format(time.TimeOnly))
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		if wait, said := outbound.RetryAfter(resp.Header, time.Now()); said {
			g.mu.Lock()
			g.until = time.Now().Add(min(wait, longestPause))
			g.mu.Unlock()
		}
	}
	return resp, nil
}
