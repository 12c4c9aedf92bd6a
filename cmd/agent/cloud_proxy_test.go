package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// endpoint is the address of a service in the catalog.
type endpoint struct{ service, origin, path string }

// call is a request to the proxy. Its number n counts from 1.
type call struct {
	n             int
	service       string
	method, path  string
	query         string
	login, writes bool
	at, ended     time.Time // ended is zero before the answer, and after a fault
}

// String returns the call in the form for a log.
func (c call) String() string { return fmt.Sprint(c.n, " ", c.service, " ", c.method, " ", c.path) }

// spoil answers a call with a fault. If it calls forward, the cloud carries out the request.
type spoil func(w http.ResponseWriter, r *http.Request, forward func() (*answer, error))

// answer is the cloud's answer, in which addresses are replaced by those of the proxy.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

// proxy is a proxy between the program and all services of a cloud. It listens at a separate address for each of their addresses. In the
// answers, including the catalog, it replaces the cloud's addresses by its own.
type proxy struct {
	places  []endpoint
	outside map[string]string // from the address of the cloud to the address of the proxy
	next    *http.Transport
	servers []*httptest.Server
	busy    sync.RWMutex // locked for reading while the cloud handles a request

	mu     sync.Mutex
	calls  []call
	meddle func(call) spoil // nil if there are no faults
	wrote  []repeated       // the answered writes, if keeps is true
	keeps  bool
}

func newProxy(t *testing.T, places []endpoint, secure bool) *proxy {
	t.Helper()
	p := &proxy{places: places, outside: map[string]string{}, next: &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true}}
	t.Cleanup(p.next.CloseIdleConnections)
	for _, at := range places {
		if p.outside[at.origin] != "" {
			continue
		}
		server := httptest.NewUnstartedServer(p.handler(at.origin))
		if secure {
			server.StartTLS()
		} else {
			server.Start()
		}
		t.Cleanup(server.Close)
		t.Cleanup(server.CloseClientConnections) // otherwise, hanging requests would keep the server open
		p.outside[at.origin] = server.URL
		p.servers = append(p.servers, server)
	}
	return p
}

// through returns the address of the proxy for an address of the cloud.
func (p *proxy) through(address string) string {
	for from, to := range p.outside {
		address = strings.ReplaceAll(address, from, to)
	}
	return address
}

// settled waits until the cloud handles no request.
func (p *proxy) settled() {
	p.busy.Lock()
	defer p.busy.Unlock()
}

// during sets the faults for the following calls, and removes the recorded calls.
func (p *proxy) during(meddle func(call) spoil) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls, p.meddle = nil, meddle
}

// seen returns the calls since during was called.
func (p *proxy) seen() []call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]call(nil), p.calls...)
}

func (p *proxy) handler(origin string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has disconnected
		}
		forward := func() (*answer, error) { return p.forward(origin, r, body) }
		n, spoil := p.arrived(origin, r)
		if spoil != nil {
			spoil(w, r, forward)
			return
		}
		a, err := forward()
		p.answered(n)
		p.keep(n, origin, r, body, a)
		if err != nil {
			cut(w, nil, 0)
			return
		}
		a.write(w, len(a.body))
	}
}

// answered records the end of a call. The calls may have been removed in the meantime.
func (p *proxy) answered(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n <= len(p.calls) {
		p.calls[n-1].ended = time.Now()
	}
}

// arrived records a call and decides whether to spoil it. It returns the number of the call.
func (p *proxy) arrived(origin string, r *http.Request) (int, spoil) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := call{n: len(p.calls) + 1, service: p.serviceAt(origin, r.URL.Path), method: r.Method, path: r.URL.Path, query: r.URL.RawQuery, login: strings.HasSuffix(r.URL.Path, "/auth/tokens"), at: time.Now()}
	c.writes = r.Method != http.MethodGet && r.Method != http.MethodHead && !c.login
	p.calls = append(p.calls, c)
	if p.meddle == nil {
		return c.n, nil
	}
	return c.n, p.meddle(c)
}

// serviceAt returns the catalog's type of the service that has the path. The path of a version document is a part of the path in the catalog.
func (p *proxy) serviceAt(origin, path string) string {
	service, best := "", -1
	for _, at := range p.places {
		likeness := 0
		switch {
		case at.origin != origin:
			continue
		case strings.HasPrefix(path, at.path):
			likeness = 2 + len(at.path)
		case first(path) == first(at.path):
			likeness = 1
		}
		if likeness > best {
			service, best = at.service, likeness
		}
	}
	return service
}

func first(path string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return word
}

func (p *proxy) forward(origin string, r *http.Request, body []byte) (*answer, error) {
	p.busy.RLock()
	defer p.busy.RUnlock()
	// The cloud carries out the request even if the client disconnects.
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, origin+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header = r.Header.Clone()
	out.Header.Del("Accept-Encoding")
	resp, err := p.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{code: resp.StatusCode, header: resp.Header.Clone(), body: text}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
		a.body = []byte(p.through(string(text)))
	}
	if to := a.header.Get("Location"); to != "" {
		a.header.Set("Location", p.through(to))
	}
	a.header.Del("Connection")
	return a, nil
}

// write writes the answer, but only length bytes of its body.
func (a *answer) write(w http.ResponseWriter, length int) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.Header().Del("Transfer-Encoding")
	w.Header().Set("Content-Length", strconv.Itoa(length))
	if a.code == http.StatusNoContent {
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(a.code)
	_, _ = w.Write(a.body[:length]) // the client may have disconnected
}

// cut resets the connection. If there is an answer, it first sends length bytes of the body.
func cut(w http.ResponseWriter, a *answer, length int) {
	conn, buffer, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return // the connection is already reset
	}
	defer conn.Close()
	if a != nil {
		fmt.Fprintf(buffer, "HTTP/1.1 %d %s\r\nContent-Length: %d\r\nContent-Type: %s\r\n", a.code, http.StatusText(a.code), len(a.body), a.header.Get("Content-Type"))
		if token := a.header.Get("X-Subject-Token"); token != "" {
			fmt.Fprintf(buffer, "X-Subject-Token: %s\r\n", token)
		}
		fmt.Fprintf(buffer, "\r\n%s", a.body[:length])
		_ = buffer.Flush() // the client may have disconnected
		return             // the connection is closed before all bytes were sent
	}
	if tcp, ok := underneath(conn).(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // so that Close resets the connection
	}
}

func underneath(conn net.Conn) net.Conn {
	if secure, ok := conn.(*tls.Conn); ok {
		return secure.NetConn()
	}
	return conn
}

// endpointOf parses an endpoint of the catalog.
func endpointOf(service, address string) (endpoint, error) {
	u, err := url.Parse(address)
	if err != nil {
		return endpoint{}, err
	}
	return endpoint{service, u.Scheme + "://" + u.Host, strings.TrimSuffix(u.Path, "/")}, nil
}
