package etcd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"
)

// These are the results of [HowUnlike]. If the certificate is for another address, the result contains that
// address.
const (
	Expired          = "shows a certificate that has expired, or is not valid yet"
	AnotherAuthority = "shows a certificate of another authority than the cluster's, or of a generation that is more than one away from the wanted one"
	NotTrusting      = "rejects the agent's certificate"
	WithoutTLS       = "answers without TLS, and the cluster must use TLS"
	WithTLS          = "answers with TLS, and the cluster is configured without TLS"
)

// unlike is the error that a machine answers in an unexpected way: with or without TLS, or with another
// identity.
type unlike struct{ how string }

// Error implements error.
func (u unlike) Error() string { return u.how }

// Unwrap returns [ErrSilent], because such a machine counts as silent.
func (u unlike) Unwrap() error { return ErrSilent }

// HowUnlike returns the unexpected way in which the machine answers, from an error. It returns "" if the machine
// does not answer.
func HowUnlike(err error) string {
	var u unlike
	if errors.As(err, &u) {
		return u.how
	}
	return ""
}

// silence returns the error for a request without an answer. It contains no text from the machine.
func (c Client) silence(ctx context.Context, address string, err error) error {
	var dial *net.OpError
	var timeout net.Error
	if errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, &timeout) && timeout.Timeout() || ctx.Err() != nil {
		return ErrSilent
	}
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &name):
		return unlike{"shows a certificate that is not valid for its address " + address + ": its subjectAltNames must contain this address"}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return unlike{Expired}
	case errors.As(err, &untrusted):
		return unlike{AnotherAuthority}
	case dial != nil && dial.Op == "remote error":
		return unlike{NotTrusting}
	case c.TLS != nil && c.plain(ctx, address):
		return unlike{WithoutTLS}
	case c.TLS == nil && c.encrypts(ctx, address):
		return unlike{WithTLS}
	}
	return ErrSilent
}

// plain reports whether a server answers without TLS.
func (c Client) plain(ctx context.Context, address string) bool {
	req, err := c.probe(ctx, "http", address)
	if err != nil {
		return false
	}
	resp, err := c.Machines.DoTrusting(req, nil)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode != http.StatusBadRequest // a server with TLS answers 400 to plain HTTP
}

// encrypts reports whether a server starts a TLS handshake, with any certificate.
func (c Client) encrypts(ctx context.Context, address string) (yes bool) {
	req, err := c.probe(ctx, "https", address)
	if err != nil {
		return false
	}
	whoever := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true, VerifyConnection: func(tls.ConnectionState) error { yes = true; return nil }} //nolint:gosec // nothing is said to it
	if resp, err := c.Machines.DoTrusting(req, whoever); err == nil {
		_ = resp.Body.Close()
	}
	return yes
}

func (c Client) probe(ctx context.Context, scheme, address string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(address, strconv.Itoa(c.Port))+waitingPath, nil)
}
