package oslo

import (
	"slices"
	"sync"
	"time"
)

// logLimit bounds the log; the counts go on beyond it.
const logLimit = 50_000

// Request is one request as it was answered. No header and no body is kept.
type Request struct {
	N        int       `json:"n"` // counted from 1 at arrival
	Time     time.Time `json:"time"`
	Service  string    `json:"service"` // catalog type
	Method   string    `json:"method"`
	Path     string    `json:"path"`            // below the service's prefix
	Query    string    `json:"query,omitempty"` // raw
	Template string    `json:"template"`        // the route, "GET /v2.0/ports/{id}"; empty if none fits
	Status   int       `json:"status"`          // zero: no answer was given
	Project  string    `json:"project,omitempty"`
	Fault    int       `json:"fault,omitempty"` // the fault that acted
	// Took is the time from arrival to the reply.
	Took time.Duration `json:"took_ns"`
}

// Write reports whether the request may change something: every method but
// GET and HEAD, other than asking Keystone for a token.
func (r Request) Write() bool {
	return r.Method != "GET" && r.Method != "HEAD" && !(r.Service == "identity" && r.Path == "/v3/auth/tokens")
}

// RequestCount is what requests are counted by.
type RequestCount struct {
	Service  string
	Template string
	Status   int
}

type requestLog struct {
	mu     sync.Mutex
	n      int
	list   []Request
	counts map[RequestCount]int
	hook   func(n int, r Request)
}

func (l *requestLog) arrive() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	return l.n
}

// leave records a request and calls the hook, without holding any lock.
func (l *requestLog) leave(r Request) {
	l.mu.Lock()
	if len(l.list) < logLimit {
		l.list = append(l.list, r)
	}
	l.counts[RequestCount{r.Service, r.Template, r.Status}]++
	hook := l.hook
	l.mu.Unlock()
	if hook != nil {
		hook(r.N, r)
	}
}

// Requests are the answered requests since the last reset, in order of arrival.
func (c *Cloud) Requests() []Request {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	out := slices.Clone(c.log.list)
	slices.SortFunc(out, func(a, b Request) int { return a.N - b.N })
	return out
}

// RequestCounts counts the answered requests since the last reset.
func (c *Cloud) RequestCounts() map[RequestCount]int {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	out := make(map[RequestCount]int, len(c.log.counts))
	for k, n := range c.log.counts {
		out[k] = n
	}
	return out
}

// ResetRequests forgets the log and starts numbering at 1 again.
func (c *Cloud) ResetRequests() {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.log.n, c.log.list = 0, nil
	clear(c.log.counts)
}

// OnRequest has f called for every request after its work is done and before
// its reply goes out, on the goroutine that serves it: a test that cuts its
// client off there sees a reply lost. Nil removes the hook.
func (c *Cloud) OnRequest(f func(n int, r Request)) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.log.hook = f
}
