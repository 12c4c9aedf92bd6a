// Package etcdtls provides the certificates that clients of an etcd cluster present and trust. They come from a Secret, or are derived from the master key
// in the stack's configuration.
package etcdtls

import (
	"crypto/tls"
	"fmt"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// ClientPrefix is the prefix of the entries in a client's Secret.
const ClientPrefix = "etcd-client"

// The entries of a client's Secret, as in etcd-operator. (pkg/util/etcdutil/tls.go)
const (
	Cert  = ClientPrefix + ".crt"
	Key   = ClientPrefix + ".key"
	Trust = ClientPrefix + "-ca.crt"
)

// agentName is the name of the agent in its certificate.
const agentName = "stackreeve"

// Config is the agent's TLS configuration for requests to members. It returns nil if the members have no TLS. entries are the entries of the Secret that t names. master is nil if the
// stack has none. The error contains no secret.
func Config(t *kind.TLS, entries map[string]string, master *pki.Master, scope pki.Scope) (*tls.Config, error) {
	switch {
	case t == nil:
		return nil, nil
	case t.SecretRef != "":
		return fromSecret(t.SecretRef, entries)
	}
	return derived(master, scope, t.Generation)
}

func fromSecret(name string, entries map[string]string) (*tls.Config, error) {
	c, err := pki.Config(entries[Cert], entries[Key], entries[Trust])
	if err != nil {
		return nil, fmt.Errorf("%w: Secret/%s: %w", kind.ErrRejected, name, err)
	}
	return c, nil
}

// ScopeOf returns the scope of a cluster's certificates. owner is the owner text of any object of the stack. namespace is that of the cluster.
func ScopeOf(owner, namespace, cluster string) pki.Scope {
	of, _ := ownertext.Parse(owner)
	return pki.Scope{Stack: of.Stack, Namespace: namespace, Cluster: cluster}
}

func derived(master *pki.Master, scope pki.Scope, generation int) (*tls.Config, error) {
	authority, err := master.Authority(scope, generation)
	if err != nil {
		return nil, rejected(scope.Cluster, err)
	}
	identity, err := authority.Client(agentName)
	if err != nil {
		return nil, rejected(scope.Cluster, err)
	}
	return identity.Config()
}

func rejected(cluster string, err error) error {
	return fmt.Errorf("%w: the keys of the cluster %s: %w; spec.defaults.etcd.masterKeyFile of the stack's configuration names the master key", kind.ErrRejected, cluster, err)
}

// CheckEndpoints reports a list of members' addresses if only some of them have TLS. It also reports a missing Secret if any address has TLS; field names
// the Secret. plain is true if there are addresses, and none has TLS.
func CheckEndpoints(r *kind.Report, endpoints []string, field, secret string) (plain bool) {
	encrypted := 0
	for _, endpoint := range endpoints {
		if u, err := url.Parse(endpoint); err == nil && u.Scheme == "https" { // also true for HTTPS://
			encrypted++
		}
	}
	switch n := len(endpoints); {
	case encrypted == 0:
		return n > 0
	case encrypted < n:
		r.Problem("spec.etcdEndpoints", fmt.Sprintf("has TLS at %d of %d addresses", encrypted, n), "write https for all members, or http for all")
	case secret == "":
		r.Problem(field, "is missing, but etcdEndpoints use TLS", fmt.Sprintf("name a Secret with %s, %s and %s", Cert, Key, Trust))
	}
	return false
}
