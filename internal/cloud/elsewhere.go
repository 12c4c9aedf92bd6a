package cloud

import (
	"context"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// Elsewhere returns a transport that sends the stack's requests to a server outside the cloud, without a token. Limits,
// fence and observers are the same as for requests to the cloud, but these requests do not count as load of the cloud.
// Observers see name as the service.
func (c *Client) Elsewhere(name string, to outbound.Config) http.RoundTripper {
	return otherAddress{name, newTransport(c.config, outbound.New(to), nil)}
}

// Further reports whether c belongs to a further entry of clouds.yaml, beside the stack's main one.
func (c *Client) Further() bool { return c.config.Beside != nil }

// WithLongest sets the time that a request may take, longer or shorter than the default.
func WithLongest(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, allowed{}, d)
}

type otherAddress struct {
	name string
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (e otherAddress) RoundTrip(req *http.Request) (*http.Response, error) {
	return e.next.RoundTrip(req.WithContext(context.WithValue(req.Context(), serviceName{}, e.name)))
}
