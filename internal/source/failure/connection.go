package failure

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// OfConnection adds to the error of a connection what a person can do about it. It returns an [Error] as it is.
func OfConnection(err error) error {
	var (
		known    *Error
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
		return New(ErrConfig, "%s; set source.caFile to the authority's certificate", err)
	case errors.As(err, &hostname), errors.As(err, &invalid):
		return New(ErrConfig, "%s; the server's certificate has expired or is for another host: renew the certificate, or name its host in source.url", err)
	case errors.As(err, &plain), errors.Is(err, http.ErrSchemeMismatch):
		return New(ErrConfig, "%s; the server does not speak https at this port", err)
	case errors.As(err, &name):
		return fmt.Errorf("%w; check the host in source.url, and the name server of this machine", err)
	}
	return err
}
