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

// CloudField is the field in which a manifest names an entry of clouds.yaml. secretField is the field for the name of a Secret with an
// entry.
const (
	CloudField  = "spec.cloudCredentialsRef.cloudName"
	secretField = "spec.cloudCredentialsRef.secretName"
)

// Entries contains the entries of clouds.yaml that a stack's configuration allows. If Further is empty, every name in a manifest means the
// main entry.
type Entries struct {
	Main    string // "" if the main entry has no name
	Further []string
	// Secrets maps the names of Secrets to entries; "" means the entry that the manifest names. If it is empty, Secrets are ignored.
	Secrets map[string]string
}

// choose sets the entry whose credentials create an object.
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
			"name one of "+strings.Join(allowed, ", ")+", remove cloudCredentialsRef for the stack's main entry, or ask the operator to add the entry to spec.clouds of the stack's configuration")}
	}
	return nil
}

// secret returns a reference to the Secret that a manifest names, if there must be a manifest for that Secret. That is so if the
// configuration maps Secrets to entries, but does not contain this Secret.
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

// known returns advice that lists the Secrets that manifests may name.
func (e Entries) known() string {
	return "name one of " + strings.Join(slices.Sorted(maps.Keys(e.Secrets)), ", ") + ", or ask the operator to add the Secret to spec.credentialSecrets of the stack's configuration"
}

// inheritEntries sets the entry of objects that are a part of another object to the entry of that object. Only references with the option
// "credentials" have this effect.
func (r *resolver) inheritEntries() {
	for _, n := range r.order {
		for _, ref := range n.Refs {
			if of := r.byKey[ref.Key]; of != nil && ref.Credentials && n.Credentials == nil {
				n.Entry = of.Entry
			}
		}
	}
}
