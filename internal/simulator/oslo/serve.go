package oslo

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// bodyLimit is the maximum size of a request body. The images of a simulated cloud are small.
const bodyLimit = 256 << 20

// answer is a response that is ready to be sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// serve handles one request: faults, the handler, the log and the reply.
func (c *Cloud) serve(w http.ResponseWriter, r *http.Request, s *Service, rest string) {
	start := time.Now()
	m := s.find(r, rest)
	entry := Request{Service: s.Types[0], Method: r.Method, Path: rest, Query: r.URL.RawQuery, Template: template(m)}
	entry.N, entry.Time = c.log.arrive(), c.clock.now()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		http.Error(w, "request body too large or cut", http.StatusRequestEntityTooLarge)
		return
	}
	f := c.faults.take(entry)
	if f != nil {
		entry.Fault = f.ID
		if !c.before(r, f) {
			entry.Status = 0
			c.log.leave(entry)
			drop(w)
			return
		}
	}
	var a *answer
	if f != nil && f.Status != 0 && !f.Late {
		a = f.answer(s)
	} else {
		a = c.work(r, s, m, body, &entry)
	}
	if f != nil && f.Status != 0 && f.Late {
		a = f.answer(s)
	}
	entry.Status = a.status
	entry.Took = time.Since(start)
	c.log.leave(entry)
	c.reply(w, r, f, a)
}

func (c *Cloud) reply(w http.ResponseWriter, r *http.Request, f *Fault, a *answer) {
	if f != nil && f.Reset == ResetAfter {
		drop(w)
		return
	}
	h := w.Header()
	for name, values := range a.header {
		h[name] = values
	}
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		return
	}
	body := a.body
	if f != nil && f.Truncate {
		body = body[:len(body)/2]
	}
	// An error means that the client has disconnected.
	_, _ = w.Write(body)
}

// work runs the handler under the lock and encodes its result.
func (c *Cloud) work(r *http.Request, s *Service, m *match, body []byte, entry *Request) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock.settle()
	host := origin(r)
	call := &Call{Request: r, Host: host, Base: host + s.Prefix, Original: r.URL, Now: c.Now(), body: body}
	if token := r.Header.Get("X-Auth-Token"); token != "" && c.tokens != nil {
		if who, ok := c.tokens.Validate(token); ok {
			call.Caller = who
			entry.Project = who.ProjectID
		}
	}
	header := http.Header{"X-Openstack-Request-Id": {"req-" + c.UUID()}}
	a := c.respond(call, s, m, header)
	if s.Decorate != nil {
		s.Decorate(call, a.header)
	}
	return a
}

func (c *Cloud) respond(call *Call, s *Service, m *match, header http.Header) *answer {
	if (m.route == nil || !m.route.public) && call.Caller == nil {
		render := s.RenderUnauthorized
		if render == nil {
			render = RenderKeystone
		}
		return refuse(unauthorized(call.Host), render, header)
	}
	if m.route == nil {
		return refuse(noRoute(m), s.Render, header)
	}
	call.Request = m.request
	resp, err := m.route.handle(call)
	if err == nil {
		var out []byte
		var kind string
		if out, kind, err = resp.encode(); err == nil {
			for name, values := range resp.Header {
				header[name] = values
			}
			if kind != "" {
				header.Set("Content-Type", kind)
			}
			return &answer{status: resp.Status, header: header, body: out}
		}
	}
	var e *Error
	if !errors.As(err, &e) {
		e = Errorf(http.StatusInternalServerError, "HTTPInternalServerError", "%v", err)
	}
	return refuse(e, s.Render, header)
}

func noRoute(m *match) *Error {
	if m.status == http.StatusMethodNotAllowed {
		return Errorf(m.status, "HTTPMethodNotAllowed", "The method is not allowed for this resource.")
	}
	return Errorf(http.StatusNotFound, "HTTPNotFound", "The resource could not be found.")
}

func refuse(e *Error, render func(*Error) (string, []byte), header http.Header) *answer {
	e.RequestID = header.Get("X-Openstack-Request-Id")
	kind, body := render(e)
	for name, values := range e.Header {
		header[name] = values
	}
	header.Set("Content-Type", kind)
	return &answer{status: e.Status, header: header, body: body}
}

func template(m *match) string {
	if m.route == nil {
		return ""
	}
	return m.route.pattern
}

// origin returns the scheme and authority that the client used. With them, links and the catalog are valid on
// any port and behind a proxy.
func origin(r *http.Request) string {
	u := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		u.Scheme = "https"
	}
	return u.String()
}
