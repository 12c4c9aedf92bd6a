package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// CloudField is where a manifest names an entry of clouds.yaml, and secretField the Secret
// that the entry would be in.
const (
	CloudField  = "spec.cloudCredentialsRef.cloudName"
	secretField = "spec.cloudCredentialsRef.secretName"
)

// Entries are the entries of clouds.yaml that a stack's configuration allows. Without
// further ones whatever a manifest names means the main one.
type Entries struct {
	Main    string // "" for one without a name
	Further []string
	// Secrets are the entries that Secrets stand for, "" for the one that the manifest
	// names. Without any, Secrets are ignored.
	Secrets map[string]string
}

// choose finds the entry through which an object is made.
func (e Entries) choose(d *kind.Desired) []manifest.Problem {
	if d.Credentials == nil || len(e.Further) == 0 {
		return nil
	}
	name := cmp.Or(e.Secrets[d.Credentials.SecretName], d.Credentials.CloudName)
	switch {
	case name == "" || name == e.Main:
	case slices.Contains(e.Further, name):
		d.Entry = name
	default:
		allowed := slices.Clone(e.Further)
		if e.Main != "" {
			allowed = slices.Insert(allowed, 0, e.Main)
		}
		return []manifest.Problem{d.Problem(CloudField, fmt.Sprintf("names the entry %s, which the stack's configuration does not allow", printable.Name(name)),
			"name one of "+strings.Join(allowed, ", ")+", remove cloudCredentialsRef for the stack's main entry, or have the entry added to spec.clouds of the stack's configuration")}
	}
	return nil
}

// secret is a reference to the Secret that a manifest names, where that has to be among the manifests: the
// configuration says what some Secrets stand for, and this one is not among them.
func (e Entries) secret(d *kind.Desired) []kind.RefSpec {
	if d.Credentials == nil || len(e.Secrets) == 0 {
		return nil
	}
	name := d.Credentials.SecretName
	if _, known := e.Secrets[name]; known || name == "" {
		return nil
	}
	return []kind.RefSpec{{Field: secretField, Key: manifest.Key{Kind: "Secret", Namespace: d.Key.Namespace, Name: name}, Order: true}}
}

// known are the Secrets that manifests may name, for advice.
func (e Entries) known() string {
	return "name one of " + strings.Join(slices.Sorted(maps.Keys(e.Secrets)), ", ") + ", or have the Secret added to spec.credentialSecrets of the stack's configuration"
}

// follow has objects made through the entry of what they are a part of, where they are of such a kind.
func (r *resolver) follow() {
	for _, n := range r.order {
		for _, ref := range n.Refs {
			if of := r.byKey[ref.Key]; of != nil && ref.Credentials && n.Credentials == nil {
				n.Entry = of.Entry
			}
		}
	}
}
