package etcdmember

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// TLS says with what the agent talks to members: a Secret, or what is derived from the master key.
type TLS struct {
	OperatorRef string `json:"operatorRef,omitempty" ref:"Secret" doc:"Secret with the agent's certificate: etcd-client.crt, etcd-client.key and etcd-client-ca.crt."`
	PeerRef     string `json:"peerRef,omitempty" ref:"Secret" doc:"Secret with the members' certificate, peer.crt, which has to be valid for the member's address."`
	Generation  int    `json:"generation,omitempty" rule:"min=1,max=1048576" doc:"Number of the keys that are derived from the stack's master key, where no Secret is named."`
}

// The entries of the Secrets, as etcd-operator has them. (pkg/util/etcdutil/tls.go)
const (
	clientCert, clientKey, clientTrust = "etcd-client.crt", "etcd-client.key", "etcd-client-ca.crt"
	peerCert                           = "peer.crt"
)

// Stated implements kind.Stater.
func (rules) Stated(s *Spec) kind.Facts { return kind.Facts{TLS: s.TLS != nil} }

// agentName is what the agent is called in its certificate.
const agentName = "stackreeve"

// client asks members of a cluster. secret has the entries of the operator's Secret.
func (d driver) client(t *TLS, owner string, key manifest.Key, cluster string, secret map[string]string) (c etcd.Client, err error) {
	if c = d.etcd; t == nil {
		return c, nil
	}
	if t.OperatorRef != "" {
		if c.TLS, err = pki.Config(secret[clientCert], secret[clientKey], secret[clientTrust]); err != nil {
			err = fmt.Errorf("%w: Secret/%s: %w", kind.ErrRejected, t.OperatorRef, err)
		}
		return c, err
	}
	if c.TLS, err = d.derived(t, owner, key, cluster); err != nil {
		err = fmt.Errorf("%w: the keys of the cluster %s: %w; spec.defaults.etcd.masterKeyFile of the stack's configuration names the master key", kind.ErrRejected, cluster, err)
	}
	return c, err
}

func (d driver) derived(t *TLS, owner string, key manifest.Key, cluster string) (*tls.Config, error) {
	of, _ := kind.ParseOwner(owner)
	authority, err := d.master.Authority(pki.Scope{Stack: of.Stack, Namespace: key.Namespace, Cluster: cluster}, t.Generation)
	if err != nil {
		return nil, err
	}
	identity, err := authority.Client(agentName)
	if err != nil {
		return nil, err
	}
	return identity.Config()
}

// clientFor asks the members of a wanted one's cluster. With Secrets the certificate that the members are to show has to be valid for the address.
func (d driver) clientFor(w want) (etcd.Client, error) {
	t := w.Spec.TLS
	if t == nil || t.OperatorRef == "" {
		return d.client(t, w.Mark.Owner, w.Key, w.Spec.Cluster, nil)
	}
	c, err := d.client(t, w.Mark.Owner, w.Key, w.Spec.Cluster, w.Ref("Secret", t.OperatorRef).Data)
	if err == nil && t.PeerRef != "" {
		err = validFor(w.Ref("Secret", t.PeerRef).Data[peerCert], t.PeerRef, w.Ref("Port", w.Spec.PortRef).Facts.Address)
	}
	return c, err
}

func validFor(text, secret, address string) error {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return fmt.Errorf("%w: %s of Secret/%s is no PEM", kind.ErrRejected, peerCert, secret)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err == nil && cert.VerifyHostname(address) == nil {
		return nil
	}
	return fmt.Errorf("%w: %s of Secret/%s is not valid for %s, the address of the port: have that among its subjectAltNames, as an IP address", kind.ErrRejected, peerCert, secret, address)
}

// introduce gives the machines of a cluster what they are asked with.
func (d driver) introduce(machines []*machine, around kind.Around) error {
	if len(machines) == 0 || machines[0].tls == nil {
		for _, m := range machines {
			m.client = d.etcd
		}
		return nil
	}
	first := machines[0]
	secret := around.Data(manifest.Key{Kind: "Secret", Namespace: first.key.Namespace, Name: first.tls.OperatorRef})
	c, err := d.client(first.tls, kind.OwnerText(around.Stack, first.key), first.key, first.cluster, secret)
	for _, m := range machines {
		m.client = c
	}
	return err
}

// differing says why no machine of a cluster is changed: a member that there was talks otherwise than it should, so a machine that does
// as it should would not be one of them. "" when none does.
func differing(machines []*machine) string {
	for _, m := range machines {
		if m.recorded && m.unlike != "" {
			return m.key.Name + " " + m.unlike + ": go back to what the cluster had, or make another one and copy the data (docs/clusters.md)"
		}
	}
	return ""
}
