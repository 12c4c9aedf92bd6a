package outbound

import "crypto/x509"

// Trust is whom the system trusts, and the certificates in a text besides; ok is false where that holds none in PEM.
func Trust(pem []byte) (pool *x509.CertPool, ok bool) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	return pool, pool.AppendCertsFromPEM(pem)
}
