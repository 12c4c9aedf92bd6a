package etcdcluster

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// TLS has members talk to each other, and to clients, with certificates on both sides. (etcd-operator's TLSPolicy)
type TLS struct {
	Static *Static `json:"static,omitempty" doc:"Certificates from Secrets, as etcd-operator takes them."`
	Auto   *Auto   `json:"auto,omitempty" doc:"Keys and certificates that are derived from the master key in the stack's configuration, spec.defaults.etcd.masterKeyFile, and stored nowhere."`
}

// Static names Secrets.
type Static struct {
	Member   *MemberSecrets `json:"member,omitempty" doc:"What members show and trust."`
	Operator string         `json:"operatorSecret,omitempty" doc:"Secret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt: what the agent shows to members, and whose certificates it trusts."`
}

// MemberSecrets names the Secrets of members.
type MemberSecrets struct {
	Peer   string `json:"peerSecret,omitempty" doc:"Secret with peer.crt, peer.key and peer-ca.crt: what members show to each other, and trust. The certificate has to be valid for the IP addresses of all members."`
	Server string `json:"serverSecret,omitempty" doc:"Secret with server.crt, server.key and server-ca.crt: what members show to clients, and whose clients they trust. The certificate has to be valid for the IP addresses of all members, and for servers and clients: etcd uses it as both."`
}

// Auto asks for derived certificates.
type Auto struct {
	Generation int `json:"generation,omitempty" rule:"min=1,max=1048576,default=1" doc:"Number of the keys: one more, or one less, has each member get others, one member at a time."`
}

func (t *TLS) validate(r *kind.Report) {
	switch {
	case t == nil:
	case (t.Static == nil) == (t.Auto == nil):
		r.Problem("spec.TLS", "has none of static and auto, or both", "give one of them")
	case t.Static != nil:
		s := t.Static
		if s.Member == nil {
			s.Member = &MemberSecrets{}
		}
		for field, name := range map[string]string{"member.peerSecret": s.Member.Peer, "member.serverSecret": s.Member.Server, "operatorSecret": s.Operator} {
			if name == "" {
				r.Problem("spec.TLS.static."+field, "is missing", "name the Secret: members talk to each other, to clients and to the agent with TLS, or none of it")
			}
		}
	}
}

// generation is that of derived certificates.
func (a *Auto) generation() int { return max(a.Generation, 1) }

// The keys of a Secret of etcd-operator's, as PREFIX.crt, PREFIX.key and PREFIX-ca.crt. (doc/user/cluster_tls.md)
const (
	peerPrefix   = "peer"
	serverPrefix = "server"
	clientPrefix = "etcd-client"
)

// place is a certificate in a manifest: the entries of the Secret that a field names.
type place struct{ field, secret, prefix string }

func (t *TLS) places() (peer, server, client place) {
	const at = "spec.TLS.static."
	m := t.Static.Member
	return place{at + "member.peerSecret", m.Peer, peerPrefix}, place{at + "member.serverSecret", m.Server, serverPrefix}, place{at + "operatorSecret", t.Static.Operator, clientPrefix}
}

// secrets are those that members get, each once.
func (t *TLS) secrets() []string {
	m := t.Static.Member
	if m.Peer == m.Server {
		return []string{m.Peer}
	}
	return []string{m.Peer, m.Server}
}

// given is the name in the template of what members get; "" for nothing.
func (t *TLS) given() string {
	switch {
	case t == nil:
		return ""
	case t.Auto != nil:
		return "{{certificate}}"
	}
	return "{{secrets}}"
}

// files says where in that the certificate, the key and the authorities are, for other members and for clients.
func (t *TLS) files() map[string][]string {
	if t.Auto != nil {
		one := []string{"certificate", "crt", "key", "ca"}
		return map[string][]string{"peer": one, "server": one}
	}
	in := func(p place) []string {
		return []string{p.secret, p.prefix + ".crt", p.prefix + ".key", p.prefix + "-ca.crt"}
	}
	peer, server, _ := t.places()
	return map[string][]string{"peer": in(peer), "server": in(server)}
}

// ofMembers is what the memberships say of it.
func (t *TLS) ofMembers() fields {
	if t.Auto != nil {
		return fields{"generation": t.Auto.generation()}
	}
	return fields{"operatorRef": t.Static.Operator, "peerRef": t.Static.Member.Peer}
}

// pair is a certificate with those between it and its authority, and the authorities that its owner trusts.
type pair struct {
	place
	leaf  *x509.Certificate
	chain *x509.CertPool
	trust *x509.CertPool
}

// judge says what is wrong with certificates that Secrets hold.
func (t *TLS) judge(e *kind.Expansion, now time.Time) (ok bool) {
	if t == nil || t.Static == nil {
		return true
	}
	at1, at2, at3 := t.places()
	peer, server, client := at1.read(e), at2.read(e), at3.read(e)
	if peer == nil || server == nil || client == nil {
		return false
	}
	const both = "issue it with the extended key usages serverAuth and clientAuth"
	ok = peer.current(e, now) && server.current(e, now) && client.current(e, now) && peer.addressed(e) && server.addressed(e)
	return ok && peer.accepted(e, now, peer, x509.ExtKeyUsageServerAuth, both) && peer.accepted(e, now, peer, x509.ExtKeyUsageClientAuth, both) &&
		server.accepted(e, now, server, x509.ExtKeyUsageClientAuth, both+": etcd itself shows it to its own port for clients") &&
		server.accepted(e, now, client, x509.ExtKeyUsageServerAuth, both) &&
		client.accepted(e, now, server, x509.ExtKeyUsageClientAuth, "issue it with the extended key usage clientAuth")
}

// read finds a certificate, its key and its authorities; nil where one of them is missing or no such thing.
func (p place) read(e *kind.Expansion) *pair {
	if !e.Declares("Secret", p.secret) {
		fix := "add a manifest for it, in namespace " + e.Key.Namespace
		if near := e.Meant("Secret", p.secret); near != "" {
			fix = "did you mean " + near + "?"
		}
		e.Problem(p.field, fmt.Sprintf("refers to Secret/%s, which is not in the repository", p.secret), fix)
		return nil
	}
	texts := map[string]string{}
	for _, entry := range []string{p.prefix + ".crt", p.prefix + ".key", p.prefix + "-ca.crt"} {
		if texts[entry], _ = e.Data("Secret", p.secret, entry); texts[entry] == "" {
			e.Problem(p.field, fmt.Sprintf("Secret/%s has no entry %s", p.secret, entry), "add it there, in PEM")
			return nil
		}
	}
	crt, key, ca := texts[p.prefix+".crt"], texts[p.prefix+".key"], texts[p.prefix+"-ca.crt"]
	leaf, chain := certificates(crt)
	_, trust := certificates(ca)
	switch _, err := tls.X509KeyPair([]byte(crt), []byte(key)); {
	case leaf == nil:
		e.Problem(p.field, fmt.Sprintf("%s.crt of Secret/%s is no certificate", p.prefix, p.secret), "write it in PEM")
	case trust == nil:
		e.Problem(p.field, fmt.Sprintf("%s-ca.crt of Secret/%s is no certificate", p.prefix, p.secret), "write it in PEM")
	case err != nil:
		e.Problem(p.field, fmt.Sprintf("%s.key of Secret/%s is no key, or is not that of %s.crt", p.prefix, p.secret, p.prefix), "put both there as they were made together, in PEM and without a passphrase")
	default:
		return &pair{p, leaf, chain, trust}
	}
	return nil
}

// certificates reads those of a PEM text: the first one, and all. Either is nil where a certificate cannot be read, or there is none.
func certificates(text string) (first *x509.Certificate, all *x509.CertPool) {
	all = x509.NewCertPool()
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, nil
		}
		if all.AddCert(cert); first == nil {
			first = cert
		}
	}
	if first == nil {
		return nil, nil
	}
	return first, all
}

// soon is how long before its end a certificate is pointed out.
const soon = 30 * 24 * time.Hour

func (p *pair) current(e *kind.Expansion, now time.Time) (ok bool) {
	day := func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
	switch {
	case now.After(p.leaf.NotAfter):
		e.Problem(p.field, fmt.Sprintf("%s.crt of Secret/%s has expired on %s", p.prefix, p.secret, day(p.leaf.NotAfter)), "put another one there")
		return false
	case now.Before(p.leaf.NotBefore):
		e.Problem(p.field, fmt.Sprintf("%s.crt of Secret/%s is not valid before %s", p.prefix, p.secret, day(p.leaf.NotBefore)), "put another one there, or wait")
		return false
	case now.Add(soon).After(p.leaf.NotAfter):
		e.Note(p.field, fmt.Sprintf("%s.crt of Secret/%s expires on %s", p.prefix, p.secret, day(p.leaf.NotAfter)))
	}
	return true
}

// addressed wants a certificate that is valid for any address: members have no names.
func (p *pair) addressed(e *kind.Expansion) (ok bool) {
	if len(p.leaf.IPAddresses) == 0 {
		e.Problem(p.field, fmt.Sprintf("%s.crt of Secret/%s is valid for no IP address, and members reach each other at theirs", p.prefix, p.secret),
			"issue it with the addresses of all members as subjectAltName; a subnet of its own (spec.machine.subnet) bounds which those can be; TLS: {auto: {}} needs none of that")
		return false
	}
	return true
}

// accepted wants a certificate to be trusted by another's owner for a use.
func (p *pair) accepted(e *kind.Expansion, now time.Time, by *pair, use x509.ExtKeyUsage, fix string) (ok bool) {
	verify := func(use x509.ExtKeyUsage) error {
		_, err := p.leaf.Verify(x509.VerifyOptions{Roots: by.trust, Intermediates: p.chain, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{use}})
		return err
	}
	if verify(x509.ExtKeyUsageAny) != nil {
		e.Problem(p.field, fmt.Sprintf("%s.crt of Secret/%s is not issued by %s-ca.crt of Secret/%s", p.prefix, p.secret, by.prefix, by.secret), "put the certificates of its authority there, or take one of that authority")
		return false
	}
	if verify(use) != nil {
		e.Problem(p.field, fmt.Sprintf("%s.crt of Secret/%s is not issued for all that it is used for", p.prefix, p.secret), fix)
		return false
	}
	return true
}
