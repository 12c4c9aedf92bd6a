package oslo

import (
	"net/http"
	"strings"
)

// Handler handles one call. It runs with the cloud's lock held. Its result is encoded before the lock is
// released. An error that is not an *Error is answered with status 500.
type Handler func(*Call) (*Response, error)

// Service is one API: its routes, its place in the catalog, and the form of its errors.
type Service struct {
	Name   string   // the project's name, as in the catalog and in faults: "neutron".
	Types  []string // catalog types; the first is the service's name in requests and faults: "network".
	Prefix string   // the prefix of its paths on the listener: "/network"

	// Endpoint is the part of the catalog's URL after the prefix.
	// "%(project_id)s" in it is replaced by the ID of the token's project.
	Endpoint string
	// CatalogNames are the names in the catalog, by type, for types whose name differs from Name.
	CatalogNames map[string]string
	// Render encodes an error in the form of this service.
	Render func(*Error) (contentType string, body []byte)
	// RenderUnauthorized, if set, encodes a 401 of the token check. If it is nil, the answer is that of
	// keystonemiddleware.
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

// ServeHTTP stores in the match the route that matched, and the request with the values of its path.
func (rt *route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if m, ok := w.(*match); ok {
		m.route, m.request = rt, r
	}
}

// match stores the result of the mux. A status without a route means that no route has the path (404), or that
// no route of this path has the method (405).
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

// Handle adds a route that requires a token. Patterns are those of http.ServeMux
// without the prefix: "GET /v2.0/networks/{id}".
func (s *Service) Handle(pattern string, h Handler) {
	s.mux.Handle(pattern, &route{pattern: pattern, handle: h})
}

// HandlePublic adds a route that requires no token.
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
