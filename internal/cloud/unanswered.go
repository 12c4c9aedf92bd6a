package cloud

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// late adds to an error that it is [kind.ErrUnanswered], where that is so.
func late(so bool, err error) error {
	if so {
		return lateError{err}
	}
	return err
}

// lateError is ErrUnanswered, too, with no word more.
type lateError struct{ error }

func (e lateError) Unwrap() error { return e.error }

func (lateError) Is(target error) bool { return target == kind.ErrUnanswered }

// goesOn reports whether the cloud may be at work on a request that has ended in an error without an answer: a connection that breaks
// stops nobody behind it. What only read, or was never sent, leaves nothing.
func goesOn(err error) bool {
	var u *url.Error
	switch {
	case errors.As(err, new(unsentError)), errors.Is(err, outbound.ErrRefused), errors.Is(err, outbound.ErrTooLarge):
		return false
	case errors.As(err, &u):
		return writes(u.Op, u.URL)
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// byProxy are the answers of a proxy that got none from the service, or none in time.
func byProxy(code int) bool {
	return code == http.StatusBadGateway || code == http.StatusGatewayTimeout
}

// writes reports whether a request changes anything that lasts.
func writes(method, address string) bool {
	method = strings.ToUpper(method)
	return method != http.MethodGet && method != http.MethodHead && !(method == http.MethodPost && strings.HasSuffix(pathOf(address), loginPath))
}

// unsentError is that of a request of which nothing was sent.
type unsentError struct{ error }

func (e unsentError) Unwrap() error { return e.error }

// connecting says of a request whether it waits for a connection: until it has one, with the name looked up and the handshake done, nothing of it is sent.
func connecting(ctx context.Context) (context.Context, *atomic.Bool) {
	waits := new(atomic.Bool)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { waits.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { waits.Store(false) },
	}), waits
}
