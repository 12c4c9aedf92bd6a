package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// Trusting returns a TLS configuration that trusts the system's authorities and the certificates in a file in
// PEM. If file is "", it trusts only the system's authorities.
func Trusting(file string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file == "" {
		return config, nil
	}
	text, err := localfile.Read(file, localfile.Certificates)
	if err != nil {
		return nil, err
	}
	if config.RootCAs, err = x509.SystemCertPool(); err != nil {
		config.RootCAs = x509.NewCertPool()
	}
	if !config.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s contains no certificate in PEM", file)
	}
	return config, nil
}
