package loadbalancer

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// inBarbican matches IDs and addresses in manifests, which refer to secrets outside the repository.
var inBarbican = pattern.Of(`^(https?://[^\s]+/)?[0-9a-fA-F-]{36}$`)

// expand finds the fields that name a BarbicanSecret.
func (t *TLS) expand(field string, e *kind.Expansion) {
	t.SecretRefs = nil
	refer := func(at, name string) {
		switch {
		case name == "" || inBarbican.MatchString(name):
		case e.Declares("BarbicanSecret", name):
			t.SecretRefs = append(t.SecretRefs, name)
		default:
			e.Problem(field+"."+at, "the repository has no BarbicanSecret/"+name, "add it, or give the address of an existing secret in Barbican")
		}
	}
	refer("barbicanRef", table.Or(t.BarbicanRef, ""))
	for i, name := range t.SNIBarbicanRefs {
		refer(fmt.Sprintf("sniBarbicanRefs[%d]", i), name)
	}
	refer("clientCABarbicanRef", table.Or(t.ClientCABarbicanRef, ""))
	refer("clientCRLBarbicanRef", table.Or(t.ClientCRLBarbicanRef, ""))
	slices.Sort(t.SecretRefs)
	t.SecretRefs = slices.Compact(t.SecretRefs)
}

// secretAddress returns the address of the referenced secret, or a text for the plan while the secret does not exist. The
// load balancer's requests are sent only when the secret has an address.
func secretAddress(w typed.Want[Spec], name string) string {
	if name == "" || inBarbican.MatchString(name) {
		return name
	}
	ref := w.Ref("BarbicanSecret", name)
	return cmp.Or(ref.Facts.Address, "known once "+ref.Key.String()+" is ready")
}

func (t *TLS) hosts(w typed.Want[Spec]) []string {
	out := slices.Clone(t.SNIBarbicanRefs)
	for i := range out {
		out[i] = secretAddress(w, out[i])
	}
	return out
}

// secrets returns the IDs of the Barbican secrets that the listener uses.
func (l *Listener) secrets() (ids []string) {
	for _, address := range append([]string{l.Certificate, l.ClientCA, l.ClientCRL}, l.Hosts...) {
		if address != "" {
			ids = append(ids, path.Base(address))
		}
	}
	return ids
}

// keepSpelling sets the address of an unchanged secret to the existing spelling, so that it is no difference. Addresses
// with the same ID at the end are the same secret.
func (l *Listener) keepSpelling(old *Listener) {
	same := func(want *string, have string) {
		if path.Base(*want) == path.Base(have) {
			*want = have
		}
	}
	same(&l.Certificate, old.Certificate)
	same(&l.ClientCA, old.ClientCA)
	same(&l.ClientCRL, old.ClientCRL)
	l.Hosts = slices.Clone(l.Hosts)
	for i := range l.Hosts {
		for _, have := range old.Hosts {
			same(&l.Hosts[i], have)
		}
	}
}
