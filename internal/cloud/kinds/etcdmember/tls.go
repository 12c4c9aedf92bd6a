package etcdmember

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdtls"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// TLS says with which certificates the agent connects to members: a Secret, or certificates derived from the master key.
type TLS struct {
	OperatorRef string `json:"operatorRef,omitempty" ref:"Secret" doc:"Secret with the agent's certificate: etcd-client.crt, etcd-client.key and etcd-client-ca.crt."`
	PeerRef     string `json:"peerRef,omitempty" ref:"Secret" doc:"Secret with the members' certificate, peer.crt, which has to be valid for the member's address."`
	Generation  int    `json:"generation,omitempty" rule:"min=1,max=1048576" doc:"Generation of the keys, counted from 1. They are derived from the stack's master key, if no Secret is named."`
}

// peerCert is the key of the certificate in the data of the members' Secret, named as in etcd-operator.
// (pkg/util/etcdutil/tls.go)
const peerCert = "peer.crt"

// Stated implements [typed.Kind].
func (rules) Stated(s *Spec) kind.Facts { return kind.Facts{TLS: s.TLS.stated()} }

// stated returns the Secret or the generation of the clients' certificates. It returns nil without TLS.
func (t *TLS) stated() *kind.TLS {
	if t == nil {
		return nil
	}
	return &kind.TLS{SecretRef: t.OperatorRef, Generation: t.Generation}
}

// client returns a client for the members of a cluster. secret is the data of the operator's Secret.
func (d driver) client(s *Spec, owner, namespace string, secret map[string]string) (c etcd.Client, err error) {
	c = d.etcd
	c.TLS, err = etcdtls.Config(s.TLS.stated(), secret, d.master, etcdtls.ScopeOf(owner, namespace, s.Cluster))
	return c, err
}

// clientFor returns a client for the members of w's cluster. If a Secret has the members' certificate, it must be valid
// for the member's address.
func (d driver) clientFor(w want) (c etcd.Client, err error) {
	t := w.Spec.TLS
	if t == nil || t.OperatorRef == "" {
		return d.client(w.Spec, w.Mark.Owner, w.Key.Namespace, nil)
	}
	if c, err = d.client(w.Spec, w.Mark.Owner, w.Key.Namespace, w.Ref("Secret", t.OperatorRef).Data); err == nil && t.PeerRef != "" {
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
	return fmt.Errorf("%w: %s of Secret/%s is not valid for %s, the address of the port: issue it with this IP address as a subjectAltName", kind.ErrRejected, peerCert, secret, address)
}

// withClients returns the machines of a cluster, each with the client for its requests.
func (d driver) withClients(around kind.Hosts, c *member.Cluster[Spec]) (machines []*machine, err error) {
	client, spec := d.etcd, c.Specs[0]
	for _, m := range slices.Concat(c.Spare, c.Machines) {
		if spec.TLS != nil && len(machines) == 0 {
			secret := around.Data(manifest.Key{Kind: "Secret", Namespace: c.Key.Namespace, Name: spec.TLS.OperatorRef})
			if client, err = d.client(spec, m.Owner, c.Key.Namespace, secret); err != nil {
				return nil, err
			}
		}
		machines = append(machines, &machine{Machine: *m, client: client, ownDisk: ownDisk(m.Server, around.Have["Volume"])})
	}
	return machines, nil
}

// whyTLSDiffers returns the reason why no machine of a cluster is changed: a recorded member has other TLS settings than the
// manifest. A machine with the manifest's settings could not join the other members. It returns "" if no member differs.
func whyTLSDiffers(machines []*machine) string {
	for _, m := range machines {
		if m.Recorded && m.unlike != "" {
			return m.Key.Name + " " + m.unlike + ": undo the change of the cluster's TLS, or create another cluster and copy the data (docs/clusters.md)"
		}
	}
	return ""
}
