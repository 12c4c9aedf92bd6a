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

// unlike says that somebody answers, and not as the client expects: with or without TLS, or as somebody else.
type unlike struct{ how string }

// Error implements error.
func (u unlike) Error() string { return u.how }

// Unwrap has what is asked otherwise count as not answered.
func (u unlike) Unwrap() error { return ErrSilent }

// HowUnlike says of an error how the machine talks otherwise than it should; "" where it does not talk.
func HowUnlike(err error) string {
	var u unlike
	if errors.As(err, &u) {
		return u.how
	}
	return ""
}

// silence is why there is no answer. It repeats nothing that the machine said.
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
		return unlike{"shows a certificate that is not valid for its address " + address + ": that has to be among its subjectAltNames"}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return unlike{"shows a certificate that has expired, or is not valid yet"}
	case errors.As(err, &untrusted):
		return unlike{"shows a certificate of an authority that is not the cluster's, or of a generation that is not next to the wanted one"}
	case dial != nil && dial.Op == "remote error":
		return unlike{"does not take the agent's certificate"}
	case c.TLS != nil && c.plain(ctx, address):
		return unlike{"talks without TLS, and the cluster shall have it"}
	case c.TLS == nil && c.encrypts(ctx, address):
		return unlike{"talks with TLS, and the cluster shall have none"}
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
	return resp.StatusCode != http.StatusBadRequest // which is what a server with TLS says
}

// encrypts reports whether a server begins to talk with TLS, whoever it is.
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
