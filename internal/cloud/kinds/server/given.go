package server

import (
	"encoding/json"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdtls"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// give adds the secret facts to the facts that a template can use. master is the key from which certificates are
// derived, or nil.
func give(w want, f *machine.Facts, master *pki.Master) error {
	given := &w.Spec.UserData.Given
	if len(given.SecretRefs) > 0 {
		f.Secrets = machine.Encoded(secretsOf(w, given.SecretRefs))
	}
	if given.Certificate == nil {
		return nil
	}
	authority, err := master.Authority(etcdtls.ScopeOf(w.Mark.Owner, w.Key.Namespace, given.Certificate.Cluster), given.Certificate.Generation)
	if err != nil {
		return fmt.Errorf("%w: a certificate of the server: %w; see spec.defaults.etcd.masterKeyFile of the stack's configuration", kind.ErrRejected, err)
	}
	var identity pki.Identity
	if given.Certificate.Use == machine.ForClient {
		identity, err = authority.Client(f.Name)
	} else {
		identity, err = authority.Member(f.Name, f.Address)
	}
	if err != nil {
		return fmt.Errorf("%w: a certificate of the server: %w", kind.ErrNotYet, err)
	}
	f.Certificate = machine.Encoded(map[string]any{"certificate": identity})
	return nil
}

func secretsOf(w want, names []string) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, name := range names {
		all[name] = w.Ref("Secret", name).Data
	}
	return all
}

// givenPrint is the text that the secret facts add to the fingerprint of a template: the contents of its secrets, and
// the identity of its certificate.
func givenPrint(w want) string {
	given := &w.Spec.UserData.Given
	if !given.Any() {
		return ""
	}
	text, _ := json.Marshal([]any{secretsOf(w, given.SecretRefs), given.Certificate.Plain()}) // maps are encoded in the order of their names
	return "\n" + string(text)
}
