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

// Endpoints are members of one cluster that the operator has named. They are asked in turn: the one that answered last
// first, the others when it does not answer in a quarter of the time or cannot work.
type Endpoints struct {
	addresses []*url.URL
	client    *http.Client
	first     atomic.Int32
}

// maxAnswer is what is read of an answer: 10,000 keys with a kibibyte each, in base64.
const maxAnswer = 16 << 20

// NewEndpoints knows a cluster by the addresses of its members, such as https://etcd-1:2379. trust is nil for the system's
// authorities and no certificate of our own.
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

// Through has requests sent another way.
func (e *Endpoints) Through(way http.RoundTripper) *Endpoints {
	return &Endpoints{addresses: e.addresses, client: outbound.Client(way, Patience)}
}

// ask has the answer of the first endpoint that gives one.
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
			e.first.Store(int32(n)) //nolint:gosec // there are few
			return nil
		}
		var refused *Refused
		if ctx.Err() != nil || errors.As(err, &refused) && !refused.elsewhere() {
			return err
		}
	}
	return err
}

// share is a quarter of the time that is left, so that one which is silent leaves enough for the next; the last one has all of it.
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

// elsewhere reports whether another member may carry out what this one did not.
func (r *Refused) elsewhere() bool {
	return r.Code == unavailable || r.Code == deadlineExceeded || r.Code == unknown || r.Code == resourceExhausted
}

// Of gRPC (google.golang.org/grpc/codes).
const (
	unknown           = 2
	deadlineExceeded  = 4
	resourceExhausted = 8
	unavailable       = 14
)
