package etcd

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// Endpoints are members of one cluster, which the operator has configured. A request is sent first to the member
// that answered last. If a member does not answer within a quarter of the time, or cannot carry out the request,
// the next member is tried.
type Endpoints struct {
	addresses []*url.URL
	client    *http.Client
	first     atomic.Int32
}

// maxAnswer is the maximum size of an answer: 10,000 keys with a kibibyte each, in base64.
const maxAnswer = 16 << 20

// NewEndpoints makes the endpoints of a cluster from the addresses of its members, such as https://etcd-1:2379.
// If trust is nil, the client trusts the system's authorities, and sends no certificate.
func NewEndpoints(addresses []string, trust *tls.Config) (*Endpoints, error) {
	e := &Endpoints{}
	var home []string
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is not an address; write it as https://host:2379", address)
		}
		e.addresses, home = append(e.addresses, u), append(home, u.Hostname())
	}
	if len(e.addresses) == 0 {
		return nil, errors.New("there is no address of etcd")
	}
	return e.Through(outbound.New(outbound.Config{TLS: trust, MaxAnswer: maxAnswer, Home: home, ConnsPerHost: 4, HeaderTime: Patience})), nil
}

// Through returns endpoints that send their requests with the transport way.
func (e *Endpoints) Through(way http.RoundTripper) *Endpoints {
	return &Endpoints{addresses: e.addresses, client: outbound.Client(way, Patience)}
}

// ask sends a request to the endpoints, one after the other, until one of them answers.
func (e *Endpoints) ask(ctx context.Context, path string, body, into any) (err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	first := int(e.first.Load())
	for i := range e.addresses {
		n := (first + i) % len(e.addresses)
		within, cancel := share(ctx, i+1 == len(e.addresses))
		err = e.askOne(within, e.addresses[n], path, text, into)
		cancel()
		if err == nil {
			e.first.Store(int32(n)) //nolint:gosec // the number of endpoints is small
			return nil
		}
		var refused *Refused
		if ctx.Err() != nil || errors.As(err, &refused) && !refused.mayAskAnother() {
			return err
		}
	}
	return err
}

// share limits the time for an endpoint to a quarter of the remaining time. So a silent endpoint leaves enough
// time for the next one. The time for the last endpoint is the whole remaining time.
func share(ctx context.Context, last bool) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if last || !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)/4)
}

func (e *Endpoints) askOne(ctx context.Context, at *url.URL, path string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.JoinPath("v3", path).String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := e.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s %w: %w", at.Host, ErrSilent, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %w: %w", at.Host, ErrSilent, err)
	}
	if err := understand(resp.StatusCode, answer, into); err != nil {
		return fmt.Errorf("%s: %w", at.Host, err)
	}
	return nil
}

// mayAskAnother reports whether another member may carry out a request that this member has refused.
func (r *Refused) mayAskAnother() bool {
	return r.Code == unavailable || r.Code == deadlineExceeded || r.Code == unknown || r.Code == resourceExhausted
}

// These are codes of gRPC (google.golang.org/grpc/codes).
const (
	unknown           = 2
	deadlineExceeded  = 4
	resourceExhausted = 8
	unavailable       = 14
)
