package source

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// ConnectionError adds to the error of a connection what a person can do about it. It returns a [failure.Error] as it is.
func ConnectionError(err error) error {
	var (
		known    *failure.Error
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		plain    tls.RecordHeaderError
		name     *net.DNSError
	)
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.As(err, &unknown):
		return failure.New(ErrConfig, "%s; set source.caFile to the authority's certificate", err)
	case errors.As(err, &hostname), errors.As(err, &invalid):
		return failure.New(ErrConfig, "%s; the server's certificate is not valid, or is for another host: replace it, or name its host in source.url", err)
	case errors.As(err, &plain), errors.Is(err, http.ErrSchemeMismatch):
		return failure.New(ErrConfig, "%s; the server does not speak https at this port", err)
	case errors.As(err, &name):
		return fmt.Errorf("%w; check the host in source.url, and the name server of this machine", err)
	}
	return err
}
