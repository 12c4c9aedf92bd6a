package control

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// signed returns a certificate for 127.0.0.1. It also returns, in PEM, the authority that signed it. No system
// trusts this authority.
func signed(t *testing.T) (leaf tls.Certificate, authority []byte) {
	t.Helper()
	var keys [2]*ecdsa.PrivateKey
	for i := range keys {
		var err error
		if keys[i], err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	own := &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	above, err := x509.CreateCertificate(rand.Reader, ca, ca, keys[0].Public(), keys[0])
	if err != nil {
		t.Fatal(err)
	}
	below, err := x509.CreateCertificate(rand.Reader, own, ca, keys[1].Public(), keys[0])
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{below}, PrivateKey: keys[1]}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: above})
}

// If a private authority has signed the agent's certificate, the agent is trusted with that authority's
// certificate, and with no other.
func TestAPrivateAuthority(t *testing.T) {
	leaf, authority := signed(t)
	_, another := signed(t)
	d := newDoor(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{leaf}}
	server.StartTLS()
	t.Cleanup(server.Close)
	for name, c := range map[string]struct {
		file    []byte
		refused bool // reports whether the file is refused
		trusted bool
	}{
		"none":                 {},
		"another authority's":  {file: another},
		"the authority's":      {file: authority, trusted: true},
		"both":                 {file: append(append([]byte{}, another...), authority...), trusted: true},
		"nothing of a PEM":     {file: []byte("no certificate\n"), refused: true},
		"an empty file":        {file: []byte{}, refused: true},
		"the agent's own only": {file: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf.Certificate[0]}), trusted: true},
	} {
		file := ""
		if c.file != nil {
			file = filepath.Join(t.TempDir(), "ca.pem")
			if err := os.WriteFile(file, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		client, err := NewClient(server.URL, d.file, file)
		if (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		if err := client.Reconcile(t.Context(), "prod"); (err == nil) != c.trusted {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewClient(server.URL, d.file, filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a file that is missing is taken")
	}
}
