// Package pki derives the keys and certificates of clusters of etcd from one master key. Nothing is stored,
// because the same arguments always return the same bytes. The package does not depend on clouds or manifests,
// nor on the place of the master key.
//
//	master key ─ HKDF(scope, generation) ─▶ authority ─ HKDF(role, name, address) ─▶ member, client
//
// All keys are Ed25519. Certificates do not expire (RFC 5280, 4.1.2.5): a key is valid until its generation is
// replaced.
package pki

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base32"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// ShortestKey is the number of random bytes that a master key must have.
const ShortestKey = 32

// Highest is the highest generation.
const Highest = 1 << 20

// Master is the key from which all other keys are derived. It is secret, and no method returns it.
type Master struct{ secret []byte }

var hexadecimal = pattern.Of(`^[0-9a-fA-F]+$`)

// New checks and stores a master key. Its error contains no part of the key.
func New(secret []byte) (*Master, error) {
	random := len(secret)
	if hexadecimal.Regexp().Match(secret) {
		random /= 2
	}
	if random < ShortestKey {
		return nil, fmt.Errorf("has %d bytes of randomness, and needs %d", random, ShortestKey)
	}
	return &Master{append([]byte(nil), secret...)}, nil
}

// String prevents that the key is printed with a struct, and so does GoString.
func (*Master) String() string { return "a master key" }

// GoString implements fmt.GoStringer.
func (m *Master) GoString() string { return m.String() }

// Scope identifies a cluster. Certificates of different scopes have nothing in common.
type Scope struct{ Stack, Namespace, Cluster string }

// Authority is the certificate authority of one generation of a cluster.
type Authority struct {
	master     *Master
	scope      Scope
	generation int
	key        ed25519.PrivateKey
	cert       *x509.Certificate
}

// Identity contains a certificate, its key, and the certificates of the trusted authorities, in PEM.
type Identity struct {
	Cert  string `json:"crt"`
	Key   string `json:"key"`
	Trust string `json:"ca"`
}

// begin and end are the limits of the validity of every certificate.
var (
	begin = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	end   = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// Authority returns the authority of a generation, from 1 to [Highest].
func (m *Master) Authority(scope Scope, generation int) (*Authority, error) {
	if m == nil {
		return nil, errors.New("there is no master key")
	}
	if generation < 1 || generation > Highest {
		return nil, fmt.Errorf("there is no generation %d", generation)
	}
	a := &Authority{master: m, scope: scope, generation: generation, key: m.key(scope, generation, "authority")}
	template := &x509.Certificate{
		SerialNumber: m.serial(scope, generation, "authority"), Subject: scope.subject(fmt.Sprintf("authority, generation %d", generation)), NotBefore: begin, NotAfter: end,
		KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
		SubjectKeyId: m.derive(20, "key identifier", scope, generation, nil), // the certificates of other releases also contain this name
	}
	der, err := x509.CreateCertificate(nil, template, template, a.key.Public(), a.key)
	if err == nil {
		a.cert, err = x509.ParseCertificate(der)
	}
	return a, err
}

// Member returns the identity of a member at an address. It is valid for connections with clients, with other
// members and with itself.
func (a *Authority) Member(name, address string) (Identity, error) {
	ip := net.ParseIP(address)
	if ip == nil {
		return Identity{}, fmt.Errorf("%q is no address", address)
	}
	return a.issue("member", name, func(c *x509.Certificate) {
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
		c.IPAddresses, c.DNSNames = []net.IP{ip, net.IPv4(127, 0, 0, 1), net.IPv6loopback}, []string{"localhost"}
	}, name, ip.String())
}

// Client returns the identity of a client of the cluster.
func (a *Authority) Client(name string) (Identity, error) {
	return a.issue("client", name, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }, name)
}

func (a *Authority) issue(role, name string, adjust func(*x509.Certificate), context ...string) (Identity, error) {
	context = append([]string{role}, context...)
	key := a.master.key(a.scope, a.generation, context...)
	template := &x509.Certificate{SerialNumber: a.master.serial(a.scope, a.generation, context...), Subject: a.scope.subject(role + " " + plain(name)),
		NotBefore: begin, NotAfter: end, KeyUsage: x509.KeyUsageDigitalSignature, BasicConstraintsValid: true}
	adjust(template)
	der, err := x509.CreateCertificate(nil, template, a.cert, key.Public(), a.key)
	if err != nil {
		return Identity{}, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Identity{}, err
	}
	trust, err := a.trust()
	return Identity{Cert: inPEM("CERTIFICATE", der), Key: inPEM("PRIVATE KEY", private), Trust: trust}, err
}

// trust returns the certificates of the authorities of the previous generation, this one and the next. So
// members of two consecutive generations trust each other while one generation replaces the other.
func (a *Authority) trust() (text string, err error) {
	for g := max(1, a.generation-1); g <= min(Highest, a.generation+1); g++ {
		other := a
		if g != a.generation {
			if other, err = a.master.Authority(a.scope, g); err != nil {
				return "", err
			}
		}
		text += inPEM("CERTIFICATE", other.cert.Raw)
	}
	return text, nil
}

// Config returns the TLS configuration of a client with this identity.
func (i Identity) Config() (*tls.Config, error) { return Config(i.Cert, i.Key, i.Trust) }

// Config returns the TLS configuration of a client. cert and key are its certificate and key, and trust are the
// authorities that it trusts, all in PEM. The errors contain no part of them.
func Config(cert, key, trust string) (*tls.Config, error) {
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return nil, errors.New("the certificate and the key do not match, or one of them is not valid")
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(trust)) {
		return nil, errors.New("there is no certificate of an authority")
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, RootCAs: roots}, nil
}

// key derives a private key. The context is a list, so that two different contexts never have the same encoding.
func (m *Master) key(scope Scope, generation int, context ...string) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(m.derive(ed25519.SeedSize, "key", scope, generation, context))
}

func (m *Master) serial(scope Scope, generation int, context ...string) *big.Int {
	n := m.derive(16, "serial number", scope, generation, context)
	n[0] = n[0]&0x7f | 0x40 // positive, and always of the same length
	return new(big.Int).SetBytes(n)
}

func (m *Master) derive(size int, use string, scope Scope, generation int, context []string) []byte {
	info, _ := json.Marshal([]any{"stackreeve etcd", use, []byte(scope.Stack), []byte(scope.Namespace), []byte(scope.Cluster), generation, inBytes(context)}) // bytes: JSON changes texts that are not UTF-8
	out, _ := hkdf.Key(sha256.New, m.secret, nil, string(info), size)                                                                                         // fails for sizes of kilobytes only
	return out
}

func inBytes(texts []string) (list [][]byte) {
	for _, t := range texts {
		list = append(list, []byte(t))
	}
	return list
}

// subject returns the name of a member or a client of the scope. Its organizational unit distinguishes scopes
// whose names look the same.
func (s Scope) subject(name string) pkix.Name {
	text, _ := json.Marshal(inBytes([]string{s.Stack, s.Namespace, s.Cluster}))
	sum := sha256.Sum256(text)
	return pkix.Name{Organization: []string{"stackreeve"}, OrganizationalUnit: []string{plain(s.Cluster) + " " + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))}, CommonName: name}
}

// plain returns a name that certificates can contain: it is short, and its characters need no quoting.
func plain(name string) string {
	name = odd.ReplaceAllString(name, "_")
	return name[:min(len(name), 32)]
}

var odd = pattern.Of(`[^A-Za-z0-9.-]`)

func inPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
