package simulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Server is a cloud that listens for requests.
type Server struct {
	*Cloud

	// URL is the root of all services: "http://127.0.0.1:41234".
	URL string

	http *http.Server
	done chan struct{}
	err  error
}

// Start makes a cloud that listens on addr ("127.0.0.1:0" for any free port). The server stops when the context
// ends or Close is called.
func Start(ctx context.Context, addr string, opts Options) (*Server, error) {
	c, err := New(opts)
	if err != nil {
		return nil, err
	}
	return c.Listen(ctx, addr)
}

// Listen serves the cloud on addr until the context ends or Close is called.
func (c *Cloud) Listen(ctx context.Context, addr string) (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	s := &Server{Cloud: c, URL: "http://" + l.Addr().String(), done: make(chan struct{})}
	s.http = &http.Server{Handler: c, ReadHeaderTimeout: 30 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.http.Close() })
	go func() {
		defer close(s.done)
		defer stop()
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.err = fmt.Errorf("simulator: %w", err)
		}
	}()
	return s, nil
}

// Close cuts all connections and waits until the listener is closed.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	return errors.Join(err, s.err)
}

// Wait blocks until the server has ended, and returns the error that ended it.
func (s *Server) Wait() error {
	<-s.done
	return s.err
}

// CloudsYAML returns a clouds.yaml with the entries demo, demo2 and admin.
func (s *Server) CloudsYAML() []byte { return CloudsYAML(s.URL) }

// CloudsYAML returns a clouds.yaml for a simulator at url.
func CloudsYAML(url string) []byte {
	var b strings.Builder
	b.WriteString("clouds:\n")
	for _, name := range []string{"demo", "demo2", "admin"} {
		fmt.Fprintf(&b, `  %[1]s:
    auth:
      auth_url: %[2]s/identity/v3
      username: %[1]s
      password: %[1]s
      project_name: %[1]s
      user_domain_name: Default
      project_domain_name: Default
    region_name: RegionOne
    identity_api_version: 3
`, name, url)
	}
	return []byte(b.String())
}
