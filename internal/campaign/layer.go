package campaign

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Host is the address of the cloud. It is not a real one: requests reach the cloud's handler in memory.
const Host = "cloud.test"

// latency is how long each request takes.
const latency = 5 * time.Millisecond

// Layer is between the agents and the cloud. It carries requests to the cloud's handler, counts and names them, and makes one fault happen.
type Layer struct {
	Cloud  http.Handler
	Expire func(token string)
	Shift  func(time.Duration)

	late sync.WaitGroup // requests that the cloud carries out later

	mu     sync.Mutex
	seen   map[string]int
	names  []string
	count  int
	writes int
	armed  *armed
	struck int
	tokens []string
	off    bool
}

// Off makes the cloud refuse all connections, or accept them again.
func (l *Layer) Off(off bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.off = off
}

func (l *Layer) down() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.off
}

// armed is a fault that waits for its request.
type armed struct {
	Case
	fault   Fault
	random  *rand.Rand
	service string // of the request that was spoiled; "" before that
	left    int    // further requests to the service with the same fault
}

// Any as the request of a case means the next request, whichever it is.
const Any = "*"

// Arm makes the fault of a case happen to the request that the case names. The count of requests starts again from 1.
func (l *Layer) Arm(c Case) error {
	fault, ok := FaultNamed(c.Fault)
	if !ok {
		return fmt.Errorf("there is no fault %q", c.Fault)
	}
	l.Restart()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = &armed{Case: c, fault: fault, random: rand.New(rand.NewPCG(c.Seed, 1)), left: fault.Times}
	return nil
}

// Restart starts the count of requests again, without a fault.
func (l *Layer) Restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen, l.names, l.count, l.writes, l.armed, l.struck = map[string]int{}, nil, 0, 0, nil, 0
}

// Names returns the names of all requests since the last restart, in their order.
func (l *Layer) Names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.names...)
}

// Counts returns the numbers of requests and writes since the last restart, and how often the fault has happened.
func (l *Layer) Counts() (requests, writes, struck int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.writes, l.struck
}

// Tokens returns all tokens that agents got from the cloud.
func (l *Layer) Tokens() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.tokens...)
}

// Wait waits until the cloud has carried out all requests that it carries out later.
func (l *Layer) Wait() { l.late.Wait() }

// Agent is the layer of one process.
type Agent struct {
	layer *Layer
	mu    sync.Mutex
	dead  bool
	onDie func()
}

// Start returns the layer of a process that starts now. Killed is called once when a fault kills the process.
func (l *Layer) Start(killed func()) *Agent { return &Agent{layer: l, onDie: killed} }

// Wrap is a layer instead of the network.
func (a *Agent) Wrap(http.RoundTripper) http.RoundTripper { return a }

func (a *Agent) kill() {
	a.mu.Lock()
	was := a.dead
	a.dead = true
	a.mu.Unlock()
	if !was {
		a.onDie()
	}
}

func (a *Agent) killed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.dead
}

// RoundTrip implements http.RoundTripper.
func (a *Agent) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close() // it was read to its end
	}
	if a.killed() {
		return nil, errKilled
	}
	if err := sleep(req.Context(), latency); err != nil {
		return nil, err
	}
	if a.killed() { // while the request was on its way
		return nil, errKilled
	}
	if req.URL.Host != Host || a.layer.down() {
		return nil, errRefused
	}
	forward := func() (*http.Response, error) { return a.layer.forward(req, body), nil }
	fault, random := a.layer.next(req)
	if fault == nil {
		resp, err := forward()
		if a.killed() {
			return nil, errKilled
		}
		return resp, err
	}
	return fault.strike(&strike{
		req: req, random: random, forward: forward, kill: a.kill, later: func(d time.Duration) { a.layer.carryOutLater(req, body, d) },
		expire: func() { a.layer.Expire(req.Header.Get("X-Auth-Token")) }, shift: a.layer.Shift,
	})
}

// next names and counts a request, and returns the fault that happens to it; nil if there is none.
func (l *Layer) next(req *http.Request) (*Fault, *rand.Rand) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kind := Name(req)
	if l.seen == nil {
		l.seen = map[string]int{}
	}
	l.seen[kind]++
	name := fmt.Sprint(kind, " #", l.seen[kind])
	l.names = append(l.names, name)
	l.count++
	if writes(kind) {
		l.writes++
	}
	a := l.armed
	switch {
	case a == nil:
		return nil, nil
	case a.service == "" && (name == a.Request || a.Request == Any):
		a.service = serviceOf(req)
	case a.service != "" && a.left > 0 && a.service == serviceOf(req):
		a.left--
	default:
		return nil, nil
	}
	l.struck++
	return &a.fault, a.random
}

// forward makes the cloud carry out a request.
func (l *Layer) forward(req *http.Request, body []byte) *http.Response {
	in := req.Clone(context.WithoutCancel(req.Context()))
	in.Body, in.ContentLength, in.RequestURI, in.RemoteAddr = io.NopCloser(bytes.NewReader(body)), int64(len(body)), req.URL.RequestURI(), "192.0.2.1:1"
	in.Host = req.URL.Host
	out := httptest.NewRecorder()
	l.Cloud.ServeHTTP(out, in)
	resp := out.Result()
	resp.Request = req
	if token := resp.Header.Get("X-Subject-Token"); token != "" {
		l.mu.Lock()
		l.tokens = append(l.tokens, token)
		l.mu.Unlock()
	}
	if req.Method == http.MethodHead {
		resp.Body = http.NoBody
	}
	return resp
}

func (l *Layer) carryOutLater(req *http.Request, body []byte, after time.Duration) {
	l.late.Go(func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		<-timer.C
		_ = l.forward(req, body).Body.Close() // nobody will read it
	})
}

func serviceOf(req *http.Request) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	return first
}

// id matches the IDs in a path.
var id = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}`)

// Name returns the method and the path of a request, without IDs. Requests for the same kind of object have the same name, whatever the IDs are.
func Name(req *http.Request) string { return req.Method + " " + id.ReplaceAllString(req.URL.Path, "*") }

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
