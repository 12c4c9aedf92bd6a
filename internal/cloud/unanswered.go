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

// markUnanswered returns the error as a [kind.ErrUnanswered], too, if so is true.
func markUnanswered(so bool, err error) error {
	if so {
		return lateError{err}
	}
	return err
}

// lateError is an error that is also [kind.ErrUnanswered]. Its text stays the same.
type lateError struct{ error }

func (e lateError) Unwrap() error { return e.error }

func (lateError) Is(target error) bool { return target == kind.ErrUnanswered }

// mayContinue reports whether the cloud may still be handling a request that ended in an error without an answer, because a broken connection does not
// stop the services behind it. It returns false for a read, and for a request that was never sent.
func mayContinue(err error) bool {
	var u *url.Error
	switch {
	case errors.As(err, new(unsentError)), errors.Is(err, outbound.ErrRefused), errors.Is(err, outbound.ErrTooLarge):
		return false
	case errors.As(err, &u):
		return writes(u.Op, u.URL)
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// byProxy reports whether a proxy answered because the service gave no answer, or none in time.
func byProxy(code int) bool {
	return code == http.StatusBadGateway || code == http.StatusGatewayTimeout
}

// writes reports whether a request changes anything that lasts.
func writes(method, address string) bool {
	method = strings.ToUpper(method)
	return method != http.MethodGet && method != http.MethodHead && !(method == http.MethodPost && strings.HasSuffix(pathOf(address), loginPath))
}

// unsentError is the error of a request of which nothing was sent. It is also [kind.ErrUnsent].
type unsentError struct{ error }

func (e unsentError) Unwrap() error { return e.error }

func (unsentError) Is(target error) bool { return target == kind.ErrUnsent }

// connecting returns a context for a request, and whether the request still waits for a connection. Nothing of the request is sent until name
// lookup and handshake are done.
func connecting(ctx context.Context) (context.Context, *atomic.Bool) {
	waits := new(atomic.Bool)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { waits.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { waits.Store(false) },
	}), waits
}
