package etcdcluster

import (
	"crypto/x509"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdtls"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// TLS has the settings for certificates, which members and clients show to each other. (etcd-operator's TLSPolicy)
type TLS struct {
	Static *Static `json:"static,omitempty" doc:"Certificates from Secrets. Their data has the same keys as for etcd-operator."`
	Auto   *Auto   `json:"auto,omitempty" doc:"Keys and certificates that are derived from the master key in the stack's configuration, spec.defaults.etcd.masterKeyFile. They are stored only on the machines."`
}

// Static names the Secrets that contain the certificates.
type Static struct {
	Member   *MemberSecrets `json:"member,omitempty" doc:"Certificates that members show and trust."`
	Operator string         `json:"operatorSecret,omitempty" doc:"Secret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt: the certificate that the agent shows to members, and the authority that it trusts."`
}

// MemberSecrets names the Secrets with the certificates of members.
type MemberSecrets struct {
	Peer   string `json:"peerSecret,omitempty" doc:"Secret with peer.crt, peer.key and peer-ca.crt: the certificate that members show to each other, and the authority that they trust. The certificate has to be valid for the IP addresses of all members."`
	Server string `json:"serverSecret,omitempty" doc:"Secret with server.crt, server.key and server-ca.crt: the certificate that members show to clients, and the authority that must have signed the clients' certificates. The certificate has to be valid for the IP addresses of all members. It must be valid for servers and for clients, because etcd uses it as both."`
}

// Auto requests certificates that are derived from the master key.
type Auto struct {
	Generation int `json:"generation,omitempty" rule:"min=1,max=1048576,default=1" doc:"Generation of the keys, counted from 1. If the number is raised or lowered by one, each member gets new keys, one member at a time. A larger step is refused and changes no machine."`
}

func (t *TLS) validate(r *kind.Report) {
	switch {
	case t == nil:
	case (t.Static == nil) == (t.Auto == nil):
		r.Problem("spec.TLS", "has neither static nor auto, or both", "give one of them")
	case t.Static != nil:
		s := t.Static
		if s.Member == nil {
			s.Member = &MemberSecrets{}
		}
		for field, name := range map[string]string{"member.peerSecret": s.Member.Peer, "member.serverSecret": s.Member.Server, "operatorSecret": s.Operator} {
			if name == "" {
				r.Problem("spec.TLS.static."+field, "is missing", "name the Secret, or remove spec.TLS: either all connections (members, clients, agent) use TLS, or none")
			}
		}
	}
}

// generation returns the number of the derived keys and certificates.
func (a *Auto) generation() int { return max(a.Generation, 1) }

// Prefixes of the keys in the data of the members' Secrets, as in etcd-operator. (doc/user/cluster_tls.md)
const (
	peerPrefix   = "peer"
	serverPrefix = "server"
)

func (t *TLS) places() (peer, server, client etcdtls.Place) {
	const at = "spec.TLS.static."
	m := t.Static.Member
	return etcdtls.Place{Field: at + "member.peerSecret", Secret: m.Peer, Prefix: peerPrefix}, etcdtls.Place{Field: at + "member.serverSecret", Secret: m.Server, Prefix: serverPrefix},
		etcdtls.Place{Field: at + "operatorSecret", Secret: t.Static.Operator, Prefix: etcdtls.ClientPrefix}
}

// secrets returns the names of the Secrets that members get, without duplicates.
func (t *TLS) secrets() []string {
	m := t.Static.Member
	if m.Peer == m.Server {
		return []string{m.Peer}
	}
	return []string{m.Peer, m.Server}
}

// given returns the template expression for the members' certificates, or "" without TLS.
func (t *TLS) given() string {
	switch {
	case t == nil:
		return ""
	case t.Auto != nil:
		return "{{certificate}}"
	}
	return "{{secrets}}"
}

// files returns where the value of that expression has the certificate, the key and the authorities. The list "peer" is
// for connections between members, and "server" is for clients.
func (t *TLS) files() map[string][]string {
	if t.Auto != nil {
		one := []string{"certificate", "crt", "key", "ca"}
		return map[string][]string{"peer": one, "server": one}
	}
	in := func(p etcdtls.Place) []string { return []string{p.Secret, p.Cert(), p.Key(), p.Trust()} }
	peer, server, _ := t.places()
	return map[string][]string{"peer": in(peer), "server": in(server)}
}

// ofMembers returns the fields about certificates that each EtcdMember gets.
func (t *TLS) ofMembers() fields {
	if t.Auto != nil {
		return fields{"generation": t.Auto.generation()}
	}
	return fields{"operatorRef": t.Static.Operator, "peerRef": t.Static.Member.Peer}
}

// judge reports errors in the certificates of Secrets. ok is false if there are errors.
func (t *TLS) judge(e *kind.Expansion, now time.Time) (ok bool) {
	if t == nil || t.Static == nil {
		return true
	}
	at1, at2, at3 := t.places()
	peer, server, client := read(at1, e), read(at2, e), read(at3, e)
	if peer == nil || server == nil || client == nil {
		return false
	}
	for _, p := range []*etcdtls.Pair{peer, server, client} {
		p.NoteValidity(e, now)
	}
	const both = "issue it with the extended key usages serverAuth and clientAuth"
	return addressed(peer, e) && addressed(server, e) &&
		accepted(peer, e, peer, x509.ExtKeyUsageServerAuth, both) && accepted(peer, e, peer, x509.ExtKeyUsageClientAuth, both) &&
		accepted(server, e, server, x509.ExtKeyUsageClientAuth, both+": etcd also uses it as a client of its own port") &&
		accepted(server, e, client, x509.ExtKeyUsageServerAuth, both) &&
		accepted(client, e, server, x509.ExtKeyUsageClientAuth, "issue it with the extended key usage clientAuth")
}

func read(p etcdtls.Place, e *kind.Expansion) *etcdtls.Pair {
	if e.Declares("Secret", p.Secret) {
		return p.Read(e)
	}
	e.Missing(p.Field, "Secret", p.Secret, "")
	return nil
}

// addressed reports an error if a certificate is not valid for any IP address, because members have no DNS names.
func addressed(p *etcdtls.Pair, e *kind.Expansion) (ok bool) {
	if len(p.Leaf.IPAddresses) == 0 {
		e.Problem(p.Field, fmt.Sprintf("%s of Secret/%s is not valid for any IP address, but members connect to each other by IP address", p.Cert(), p.Secret),
			"issue it with the addresses of all members as subjectAltName; with a subnet for this cluster only (spec.machine.subnet), you know all possible addresses; TLS: {auto: {}} needs none of this")
		return false
	}
	return true
}

// accepted reports an error if p is not issued, for a use, by the authority that the Secret of by trusts.
func accepted(p *etcdtls.Pair, e *kind.Expansion, by *etcdtls.Pair, use x509.ExtKeyUsage, fix string) (ok bool) {
	switch {
	case !p.IssuedBy(by, x509.ExtKeyUsageAny):
		e.Problem(p.Field, fmt.Sprintf("%s of Secret/%s is not issued by %s of Secret/%s", p.Cert(), p.Secret, by.Trust(), by.Secret), "put the certificates of its authority there, or use a certificate of that authority")
		return false
	case !p.IssuedBy(by, use):
		e.Problem(p.Field, fmt.Sprintf("%s of Secret/%s is not issued for all of its uses", p.Cert(), p.Secret), fix)
		return false
	}
	return true
}
