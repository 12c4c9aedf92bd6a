package cloud

import (
	"context"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// Elsewhere is how the stack asks a server that is none of the cloud's, and gets no token: with bounds, a pace, a fence and
// those who watch like those of its requests to the cloud. They know it by a name.
func (c *Client) Elsewhere(name string, to outbound.Config) http.RoundTripper {
	return elsewhere{name, newTransport(c.config, outbound.New(to))}
}

// Further reports whether c is of a further entry of clouds.yaml, beside the stack's main one.
func (c *Client) Further() bool { return c.config.Beside != nil }

// WithLongest allows a request more time, or less, than all others have.
func WithLongest(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, allowed{}, d)
}

type elsewhere struct {
	name string
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (e elsewhere) RoundTrip(req *http.Request) (*http.Response, error) {
	return e.next.RoundTrip(req.WithContext(context.WithValue(req.Context(), serviceName{}, e.name)))
}
