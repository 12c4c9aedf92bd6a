package etcdtls

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Place is a certificate in a manifest: the entries PREFIX.crt, PREFIX.key and PREFIX-ca.crt of the Secret that a field names, as in etcd-operator.
// (doc/user/cluster_tls.md)
type Place struct{ Field, Secret, Prefix string }

// Cert is the entry with the certificate and its intermediate certificates.
func (p Place) Cert() string { return p.Prefix + ".crt" }

// Key is the entry with the certificate's key.
func (p Place) Key() string { return p.Prefix + ".key" }

// Trust is the entry with the authorities that the owner trusts.
func (p Place) Trust() string { return p.Prefix + "-ca.crt" }

// Pair is a certificate with its intermediate certificates, and the authorities that its owner trusts.
type Pair struct {
	Place
	Leaf         *x509.Certificate
	chain, trust []*x509.Certificate
}

// Read reads a certificate, its key and its authorities from the repository. It returns nil, and reports it, if one of them is missing or invalid.
func (p Place) Read(e *kind.Expansion) *Pair {
	texts := map[string]string{}
	for _, entry := range []string{p.Cert(), p.Key(), p.Trust()} {
		if texts[entry], _ = e.Data("Secret", p.Secret, entry); texts[entry] == "" {
			e.Lacks(p.Field, "Secret", p.Secret, fmt.Sprintf("Secret/%s has no data.%s", p.Secret, entry), "add it there, in PEM")
			return nil
		}
	}
	chain, trust := certificates(texts[p.Cert()]), certificates(texts[p.Trust()])
	switch _, err := tls.X509KeyPair([]byte(texts[p.Cert()]), []byte(texts[p.Key()])); {
	case chain == nil:
		e.Problem(p.Field, fmt.Sprintf("%s of Secret/%s is no certificate", p.Cert(), p.Secret), "write it in PEM")
	case trust == nil:
		e.Problem(p.Field, fmt.Sprintf("%s of Secret/%s is no certificate", p.Trust(), p.Secret), "write it in PEM")
	case err != nil:
		e.Problem(p.Field, fmt.Sprintf("%s of Secret/%s is not a key, or does not belong to %s", p.Key(), p.Secret, p.Cert()), "put a certificate and its own key there, in PEM and without a passphrase")
	default:
		return &Pair{p, chain[0], chain, trust}
	}
	return nil
}

// certificates reads the certificates of a PEM text; nil if one is invalid, or there is none.
func certificates(text string) (all []*x509.Certificate) {
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return all
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil
		}
		all = append(all, cert)
	}
}

// soon is how long before its expiry a certificate is noted.
const soon = 30 * 24 * time.Hour

// NoteValidity notes a certificate that is not valid now, or will expire soon. It is not reported as a problem. Otherwise the manifests would be refused
// on the day on which it expires, including all manifests that have nothing to do with it.
func (p *Pair) NoteValidity(e *kind.Expansion, now time.Time) {
	day := func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
	note := func(format string, args ...any) {
		e.Note(p.Field, fmt.Sprintf("%s of Secret/%s ", p.Cert(), p.Secret)+fmt.Sprintf(format, args...))
	}
	switch {
	case now.After(p.Leaf.NotAfter):
		note("expired on %s, so nobody accepts it: put a new certificate there", day(p.Leaf.NotAfter))
	case now.Before(p.Leaf.NotBefore):
		note("is not valid before %s, and nobody accepts it until then", day(p.Leaf.NotBefore))
	case now.Add(soon).After(p.Leaf.NotAfter):
		note("expires on %s", day(p.Leaf.NotAfter))
	}
}

// IssuedBy reports whether an authority that the other pair trusts has issued the certificate for a use. The certificate need not be valid now.
func (p *Pair) IssuedBy(by *Pair, use x509.ExtKeyUsage) bool {
	options := x509.VerifyOptions{Roots: pool(by.trust), Intermediates: pool(p.chain), KeyUsages: []x509.ExtKeyUsage{use}}
	for _, moment := range p.moments(by) {
		options.CurrentTime = moment
		if _, err := p.Leaf.Verify(options); err == nil {
			return true
		}
	}
	return false
}

// maxMoments bounds the cost of a Secret with many authorities.
const maxMoments = 32

// moments returns times at which a whole chain of certificates may be valid. If there is such a time, the chain is also valid when the last of its
// certificates becomes valid, and that time is among the results.
func (p *Pair) moments(by *Pair) []time.Time {
	moments, known := []time.Time{p.Leaf.NotBefore}, map[time.Time]bool{p.Leaf.NotBefore: true}
	for _, certs := range [][]*x509.Certificate{p.chain, by.trust} {
		for _, c := range certs {
			if at := c.NotBefore; at.After(p.Leaf.NotBefore) && !at.After(p.Leaf.NotAfter) && !known[at] && len(moments) < maxMoments {
				moments, known[at] = append(moments, at), true
			}
		}
	}
	return moments
}

func pool(of []*x509.Certificate) *x509.CertPool {
	made := x509.NewCertPool()
	for _, c := range of {
		made.AddCert(c)
	}
	return made
}

// Check reports mistakes in a client's Secret in the repository, which field names.
func Check(e *kind.Expansion, field, name string, now time.Time) {
	if !e.Declares("Secret", name) {
		return // resolving the reference reports it
	}
	if p := (Place{field, name, ClientPrefix}).Read(e); p != nil {
		p.NoteValidity(e, now)
	}
}
