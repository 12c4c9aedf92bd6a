package rabbit

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"testing"
	"time"
)

// certificate returns a certificate for 127.0.0.1 that signs itself.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	text, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(text)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{text}, PrivateKey: key}, pool
}

// tlsProxy accepts TLS from clients with a certificate, and passes everything on to a server.
func tlsProxy(t *testing.T, to string, config *tls.Config) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			into, err := net.Dial("tcp", to)
			if err != nil {
				_ = from.Close()
				continue
			}
			go func() { _, _ = io.Copy(into, from); _ = into.Close() }()
			go func() { _, _ = io.Copy(from, into); _ = from.Close() }()
		}
	}()
	return l.Addr().String()
}

// A reader trusts only the configured certificates, and shows its own.
func TestRealTLS(t *testing.T) {
	address, admin := realServer(t)
	exchange(t, admin, "nova")
	server, trusted := certificate(t)
	own, clients := certificate(t)
	at := tlsProxy(t, address, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{server}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert})
	_, others := certificate(t)
	for name, tt := range map[string]struct {
		config *tls.Config
		reads  bool
	}{
		"trusted, with a certificate": {&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusted, Certificates: []tls.Certificate{own}}, true},
		"no certificate":              {&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusted}, false},
		"not trusted":                 {&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: others, Certificates: []tls.Certificate{own}}, false},
	} {
		r := start(t, &Reader{Server: Server{Addresses: []string{at}, Exchanges: []string{"nova"}, TLS: tt.config}})
		if s := r.until(t, func(s State) bool { return s.Reading || s.Err != nil }); s.Reading != tt.reads {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
