package oslo

import (
	"slices"
	"sync"
	"time"
)

// logLimit is the maximum length of the log. The counts continue beyond it.
const logLimit = 50_000

// Request is a request that was answered. Its headers and bodies are not stored.
type Request struct {
	N        int       `json:"n"` // counted from 1 in order of arrival
	Time     time.Time `json:"time"`
	Service  string    `json:"service"` // catalog type
	Method   string    `json:"method"`
	Path     string    `json:"path"`            // below the service's prefix
	Query    string    `json:"query,omitempty"` // raw
	Template string    `json:"template"`        // the route, such as "GET /v2.0/ports/{id}"; empty if no route matches
	Status   int       `json:"status"`          // zero if there was no answer
	Project  string    `json:"project,omitempty"`
	Fault    int       `json:"fault,omitempty"` // ID of the fault that acted
	// Took is the time from arrival to the reply.
	Took time.Duration `json:"took_ns"`
}

// Write reports whether the request may change something: it has a method other
// than GET and HEAD, and does not request a token.
func (r Request) Write() bool {
	return r.Method != "GET" && r.Method != "HEAD" && !(r.Service == "identity" && r.Path == "/v3/auth/tokens")
}

// RequestCount is the key by which requests are counted.
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

// leave adds a request to the log and calls the hook. It holds no lock during the call.
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

// Requests are the requests that were answered since the last reset, in order of arrival.
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

// ResetRequests clears the log and restarts the numbers at 1.
func (c *Cloud) ResetRequests() {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.log.n, c.log.list = 0, nil
	clear(c.log.counts)
}

// OnRequest sets a hook that is called for every request, after it was handled and before its reply is sent. The
// goroutine that serves the request calls it. If a test disconnects its client in the hook, the reply is lost.
// Nil removes the hook.
func (c *Cloud) OnRequest(f func(n int, r Request)) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.log.hook = f
}
