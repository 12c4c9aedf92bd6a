package oslo

import (
	"net/http"
	"strings"
)

// Handler does the work of one call. It runs with the cloud's lock held; what
// it returns is encoded before the lock is released. An error that is no *Error
// is answered as 500.
type Handler func(*Call) (*Response, error)

// Service is one API: its routes, its place in the catalog, its way to word
// errors.
type Service struct {
	Name   string   // the project's name, as in the catalog and in faults: "neutron"
	Types  []string // catalog types; the first is the service's name in requests and faults: "network"
	Prefix string   // of its paths on the listener: "/network"

	// Endpoint is what the catalog adds to the prefix; "%(project_id)s" in it
	// becomes the id of the token's project.
	Endpoint string
	// CatalogNames names the service per type where it differs from Name.
	CatalogNames map[string]string
	// Render words an error as this service does.
	Render func(*Error) (contentType string, body []byte)
	// RenderUnauthorized, if set, words a 401 of the token check; without it the
	// answer is the one of keystonemiddleware.
	RenderUnauthorized func(*Error) (contentType string, body []byte)
	// Decorate, if set, may add headers to every answer (microversions).
	Decorate func(*Call, http.Header)

	mux *http.ServeMux
}

type route struct {
	pattern string
	public  bool
	handle  Handler
}

// ServeHTTP hands the matched route, and the request that carries the path's
// values, to the exchange that asked the mux.
func (rt *route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if m, ok := w.(*match); ok {
		m.route, m.request = rt, r
	}
}

// match receives what the mux decides; a status without a route means that
// nothing fits the path (404) or the method (405).
type match struct {
	route   *route
	request *http.Request
	header  http.Header
	status  int
}

func (m *match) Header() http.Header         { return m.header }
func (m *match) WriteHeader(status int)      { m.status = status }
func (m *match) Write(b []byte) (int, error) { return len(b), nil }

// Register adds a service to the cloud.
func (c *Cloud) Register(s *Service) {
	s.mux = http.NewServeMux()
	c.services = append(c.services, s)
}

// Handle adds a route that needs a token. Patterns are those of
// http.ServeMux, below the prefix: "GET /v2.0/networks/{id}".
func (s *Service) Handle(pattern string, h Handler) {
	s.mux.Handle(pattern, &route{pattern: pattern, handle: h})
}

// HandlePublic adds a route that needs no token.
func (s *Service) HandlePublic(pattern string, h Handler) {
	s.mux.Handle(pattern, &route{pattern: pattern, public: true, handle: h})
}

func (s *Service) find(r *http.Request, rest string) *match {
	u := *r.URL
	u.Path = rest
	u.RawPath = ""
	if raw, ok := strings.CutPrefix(r.URL.EscapedPath(), s.Prefix); ok {
		u.RawPath = strings.TrimSuffix(raw, "/")
	}
	if u.Path = strings.TrimSuffix(u.Path, "/"); u.Path == "" {
		u.Path, u.RawPath = "/", ""
	}
	below := *r
	below.URL = &u
	m := &match{header: http.Header{}}
	s.mux.ServeHTTP(m, &below)
	return m
}
