// Package keypair is the kind KeyPair: a public key with which people log in to servers (Nova), in K-ORC's vocabulary.
// The mark is in the comment of the key.
package keypair

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a key pair. Field names and meanings are K-ORC's
// (api/v1alpha1/keypair_types.go).
type Spec struct {
	Name      *string `json:"name,omitempty" api:"name,named" rule:"immutable,min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Type      *string `json:"type,omitempty" api:"type,unwritten" rule:"immutable,enum=ssh|x509,default=ssh" doc:"Type of the key. Only ssh is supported, because a certificate has no place for the owner mark."`
	PublicKey string  `json:"publicKey" api:"public_key" rule:"lines,required,immutable,min=1,max=16384" doc:"The public key, in one line as in authorized_keys." example:"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada@example.org"`
}

// More holds the fields of a key pair that only Nova sets.
type More struct {
	Fingerprint string `json:"fingerprint" api:"fingerprint"`
}

// Filter selects an existing key pair.
type Filter struct {
	Name *string `json:"name,omitempty" doc:"Exact name."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind returns the kind KeyPair. c may be nil if only the kind's rules are needed. It lists the key pairs of the agent's
// user. The name of a key pair is also its ID.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "KeyPair", Service: cloud.Compute, UniqueNames: true, Scope: kind.OfUser, StaysMarked: true,
			Unmark: "the mark is the end of the key's comment, which Nova cannot change: openstack keypair delete <id>, and import the key again without it",
			Doc:    "A public SSH key that can log in to new servers (Nova). It belongs to the user of the agent's credentials, and not to the project.",
		},
		Collection: define.Collection{Path: "os-keypairs", Field: "keypairs", Singular: "keypair", ID: "name", Microversion: "2.35"}, // 2.2: type, 2.35: pages
		Mark:       mark.PlaceIn("public_key", unmarked, marked),
		Overrides:  []table.Override[Spec, More]{{Field: "publicKey", Compare: compareKey}},
		Validate:   validate, Observe: observe, Create: create, Update: update, QuotaNeeded: define.One[Spec](cloud.Compute, "key_pairs"),
	})
}
