package kindtest

import (
	"net/http"
	"strings"
	"sync/atomic"
)

// Counter counts the requests that it passes on: reads and writes.
type Counter struct {
	next          http.RoundTripper
	Reads, Writes atomic.Int64
}

// Wrap puts the counter in front of next.
func (c *Counter) Wrap(next http.RoundTripper) http.RoundTripper {
	c.next = next
	return c
}

// reads reports whether a request only reads.
func reads(req *http.Request) bool {
	return req.Method == http.MethodGet || req.Method == http.MethodHead
}

// RoundTrip implements http.RoundTripper. It does not count authentication, which writes nothing.
func (c *Counter) RoundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case reads(req):
		c.Reads.Add(1)
	case !strings.HasSuffix(req.URL.Path, "/auth/tokens"):
		c.Writes.Add(1)
	}
	return c.next.RoundTrip(req)
}
