package cloud

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// environmentTLS reads OS_CACERT, OS_CERT, OS_KEY and OS_INSECURE as the other
// OpenStack clients do.
func environmentTLS() (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: os.Getenv("OS_INSECURE") == "true"}
	if file := os.Getenv("OS_CACERT"); file != "" {
		text, err := localfile.Read(file, localfile.Certificates)
		if err != nil {
			return nil, fmt.Errorf("OS_CACERT: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("OS_CACERT: %s holds no PEM certificate", file)
		}
	}
	if cert, key := os.Getenv("OS_CERT"), os.Getenv("OS_KEY"); cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("OS_CERT and OS_KEY: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}
