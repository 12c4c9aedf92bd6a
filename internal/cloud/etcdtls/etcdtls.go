// Package etcdtls is what clients of a cluster of etcd show to its members, and whose certificates they trust: what a Secret has, or what is derived from the
// master key of the stack's configuration.
package etcdtls

import (
	"crypto/tls"
	"fmt"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// ClientPrefix is what the entries of a client's Secret begin with.
const ClientPrefix = "etcd-client"

// The entries of a client's Secret, as etcd-operator has them. (pkg/util/etcdutil/tls.go)
const (
	Cert  = ClientPrefix + ".crt"
	Key   = ClientPrefix + ".key"
	Trust = ClientPrefix + "-ca.crt"
)

// agentName is what the agent is called in its certificate.
const agentName = "stackreeve"

// Config is how the agent talks to members: nil for no TLS. entries are those of the Secret that t names, master is nil where the stack has
// none. Its error repeats nothing that is secret.
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

// ScopeOf is whose certificates those of a cluster are: owner is the mark of an object of the stack, and namespace that of the cluster.
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

// CheckEndpoints reports addresses of members of which only some have TLS, and that a Secret, which field names, is missing for them. plain is true
// where there are some, and none has TLS.
func CheckEndpoints(r *kind.Report, endpoints []string, field, secret string) (plain bool) {
	encrypted := 0
	for _, endpoint := range endpoints {
		if u, err := url.Parse(endpoint); err == nil && u.Scheme == "https" { // also of HTTPS://
			encrypted++
		}
	}
	switch n := len(endpoints); {
	case encrypted == 0:
		return n > 0
	case encrypted < n:
		r.Problem("spec.etcdEndpoints", fmt.Sprintf("has TLS at %d of %d addresses", encrypted, n), "write https for all members, or http for all")
	case secret == "":
		r.Problem(field, "is missing, and etcdEndpoints are asked with TLS", fmt.Sprintf("name a Secret with %s, %s and %s", Cert, Key, Trust))
	}
	return false
}
