// Package barbicansecret is the kind BarbicanSecret: a secret that OpenStack's services
// are given by its address, such as the certificate of a load balancer (Barbican).
//
// What is secret comes from a Secret of the repository. It is sent to Barbican and never
// asked for: behind the name stands a fingerprint, by which another payload is noticed.
// Nothing that is shown or logged has the payload, nor has an error of the request that
// carried it.
//
// Barbican can change nothing of a secret, and lists of its user metadata nothing: that
// is written after the secret was made, and would have to be asked for one by one. So
// the mark of the owner is the end of the name, with which the secret is made, as
// servergroup has it. It does not say what was last applied: every change replaces.
package barbicansecret

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is what a secret shall be. Values are Barbican's (barbican/common/validators.py:
// NewSecretValidator; plugin/util/mime_types.py); names are shorter by what the mark takes.
type Spec struct {
	Name        *string `json:"name,omitempty" api:"name,named,trimmed" rule:"immutable,min=1,max=140" doc:"Name in the cloud, before the mark of the owner; metadata.name if left out."`
	SecretType  *string `json:"secretType,omitempty" api:"secret_type" rule:"immutable,enum=opaque|passphrase|certificate|private|public|symmetric,default=opaque" doc:"What it is: anything, a text that people type, a certificate, a private, public or symmetric key."`
	PayloadRef  string  `json:"payloadRef" rule:"required,min=1" ref:"Secret" doc:"Secret of the repository that holds what is secret. Another payload makes a new secret."`
	PayloadKey  *string `json:"payloadKey,omitempty" rule:"min=1,max=253,default=payload" doc:"Its entry there." example:"tls.p12"`
	ContentType *string `json:"payloadContentType,omitempty" api:"payload_content_type,read=content_types.default" rule:"immutable,enum=text/plain|application/octet-stream|application/pkcs8,default=text/plain" doc:"What the payload is: text, of which Barbican takes away white space at the ends, or bytes."`
	Expiration  *string `json:"expiration,omitempty" doc:"When Barbican forgets it, such as 2030-01-31T00:00:00Z; never if left out. Another time makes a new secret."`
	Algorithm   *string `json:"algorithm,omitempty" api:"algorithm,empty,trimmed" rule:"immutable,min=1,max=255" doc:"What a key is for, for those who use it." example:"aes"`
	BitLength   *int    `json:"bitLength,omitempty" api:"bit_length,empty" rule:"immutable,min=1,max=32767" doc:"How long a key is, for those who use it." example:"256"`
	Mode        *string `json:"mode,omitempty" api:"mode,empty,trimmed" rule:"immutable,min=1,max=255" doc:"How a key is used, for those who use it." example:"cbc"`
}

// More is what only Barbican says of a secret.
type More struct {
	Ref        string     `json:"secretRef" api:"secret_ref"`
	Status     string     `json:"status" api:"status"`
	CreatorID  string     `json:"creatorID" api:"creator_id"`
	Expiration table.Time `json:"expiration" api:"expiration"`
	CreatedAt  table.Time `json:"createdAt" api:"created"`
	UpdatedAt  table.Time `json:"updatedAt" api:"updated"`
}

// Filter says which existing secret is meant.
type Filter struct {
	Name       *string `json:"name,omitempty" doc:"Exact name, without a mark."`
	SecretType *string `json:"secretType,omitempty" rule:"enum=opaque|passphrase|certificate|private|public|symmetric" doc:"What it is."`
	Algorithm  *string `json:"algorithm,omitempty" doc:"What a key is for."`
	Mode       *string `json:"mode,omitempty" doc:"How a key is used."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	want   = typed.Want[Spec]
	object = table.Object[Spec, More]
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind is the kind BarbicanSecret over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "BarbicanSecret", Service: cloud.KeyManager, FixedMark: true, Rare: true,
			Loss:   []string{"what it holds, for those who do not have the repository"},
			Unmark: "the mark is the end of the name, which Barbican cannot change: openstack secret delete <address>",
			Doc:    "A secret that services of the cloud read, such as the certificate of a load balancer (Barbican). What it holds comes from a Secret and is never shown.",
		},
		Collection: define.Collection{Path: "secrets", ID: "secret_ref", Address: true, Secret: true},
		Mark:       mark.PlaceIn("name", unmarked, marked),
		Overrides: []table.Override[Spec, More]{
			{Field: "payloadRef", Compare: skip, Write: writePayload},
			{Field: "payloadKey", Compare: skip, Write: func(want, *object, map[string]any) {}},
			{Field: "expiration", Compare: compareExpiration, Write: writeExpiration},
		},
		Name:     func(_ want, name string) string { return name },
		Validate: validate, Expand: expand, Diff: diff, Observe: observe, Export: export,
		Create: create, Update: update, Takes: define.One[Spec](cloud.KeyManager, "secrets"),
	})
}
