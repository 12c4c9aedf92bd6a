package cloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// load is what the clients of a process share to keep the load of one cloud low: a budget of requests per second, and turns at each endpoint.
type load struct {
	budget  *rate.Limiter
	ceiling int

	mu        sync.Mutex
	endpoints map[string]*turns // by service and host
}

func newLoad(l Limits) *load {
	l = l.orDefaults()
	return &load{budget: rate.NewLimiter(rate.Limit(l.CloudPerSecond), l.Burst), ceiling: l.Burst, endpoints: map[string]*turns{}}
}

// maxEndpoints bounds the memory for endpoints. Requests to further ones do not wait for turns.
const maxEndpoints = 256

// turnsAt returns the turns at the endpoint of a request; nil if the request does not need one. Uploads and other requests that may take longer than
// the usual bound do not take part, because they would keep short ones waiting.
func (l *load) turnsAt(req *http.Request, usual time.Duration) *turns {
	long, _ := req.Context().Value(allowed{}).(time.Duration)
	if l == nil || long > usual || req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return nil
	}
	key := serviceOf(req) + " " + req.URL.Host
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.endpoints[key]
	if t == nil && len(l.endpoints) < maxEndpoints {
		t = newTurns(l.ceiling)
		l.endpoints[key] = t
	}
	return t
}

// classOfRequest returns the method and the path of a request without the parts that may be IDs: those with digits, and long ones.
func classOfRequest(req *http.Request) string {
	parts := strings.Split(req.URL.Path, "/")
	for i, part := range parts {
		if len(part) > 24 || strings.ContainsAny(part, "0123456789") {
			parts[i] = "*"
		}
	}
	return req.Method + " " + strings.Join(parts, "/")
}

// outcomeOf returns what an answer, or an error, says about the load of the service.
func outcomeOf(req *http.Request, code int, err error) outcome {
	switch {
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable, byProxy(code):
		return overloaded
	case err != nil && req.Context().Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return overloaded
	case err != nil, code >= 500:
		return unclear
	}
	return served
}

// pauseOf returns how long an answer asks to send nothing, and whether that concerns all clients. A 429 is about one user's requests, so it concerns
// only the client that got it.
func pauseOf(resp *http.Response) (pause time.Duration, all bool) {
	if resp == nil || resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	return retryAfter(resp.Header), resp.StatusCode == http.StatusServiceUnavailable
}

// tracedWait is the shortest wait for a turn that a trace shows.
const tracedWait = 10 * time.Millisecond

// errNoTime is the error of a request whose own deadline comes before it may be sent.
var errNoTime = errors.New("too little time is left for the request")

// turn waits until a request may be sent: the pace of the client, the budget of the cloud, and a turn at the endpoint.
func (t *transport) turn(ctx context.Context, at *turns) (*turn, error) {
	if err := t.pace.Wait(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoTime, err)
	}
	if t.load != nil {
		if err := t.load.budget.Wait(ctx); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoTime, err)
		}
	}
	return at.wait(ctx, t)
}
