// Package barbicansecret is the kind BarbicanSecret: a secret that OpenStack's services
// refer to by its address, such as the certificate of a load balancer (Barbican).
//
// The payload comes from a Secret of the repository. It is sent to Barbican and never read back. A changed payload is
// noticed by its fingerprint, which is at the end of the name. No output, no log and no error of the request contains
// the payload.
//
// Barbican cannot change a secret, and its lists do not show user metadata. User metadata would need a second request
// after the secret is created, and a request for each secret to read it. So the owner mark is at the end of the name,
// which is part of the create request, as in package servergroup. The mark does not contain the last applied manifest,
// because every change replaces the secret.
package barbicansecret

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the desired state of a secret. Values are Barbican's (barbican/common/validators.py: NewSecretValidator;
// plugin/util/mime_types.py). A name can have fewer characters than in Barbican, because the mark uses some of them.
type Spec struct {
	Name        *string `json:"name,omitempty" api:"name,named,trimmed" rule:"immutable,min=1,max=140" doc:"Name in the cloud; metadata.name if left out. The cloud shows the owner mark after the name."`
	SecretType  *string `json:"secretType,omitempty" api:"secret_type" rule:"immutable,enum=opaque|passphrase|certificate|private|public|symmetric,default=opaque" doc:"Type of the secret: opaque (anything), a passphrase, a certificate, or a private, public or symmetric key."`
	PayloadRef  string  `json:"payloadRef" rule:"required,min=1" ref:"Secret" doc:"Secret of the repository with the payload. Another payload replaces the Barbican secret, if that is allowed. The old secret is deleted, and objects of the stack that refer to it get the address of the new one."`
	PayloadKey  *string `json:"payloadKey,omitempty" rule:"min=1,max=253,default=payload" doc:"Key of the payload in data of that Secret." example:"tls.p12"`
	ContentType *string `json:"payloadContentType,omitempty" api:"payload_content_type,read=content_types.default" rule:"immutable,enum=text/plain|application/octet-stream|application/pkcs8,default=text/plain" doc:"Type of the payload: text, from which Barbican removes white space at the ends, or bytes."`
	Expiration  *string `json:"expiration,omitempty" doc:"When Barbican deletes the secret, such as 2030-01-31T00:00:00Z; never if left out. Another time replaces the secret, like another payload."`
	Algorithm   *string `json:"algorithm,omitempty" api:"algorithm,empty,trimmed" rule:"immutable,min=1,max=255" doc:"Algorithm of the key, as information for its users." example:"aes"`
	BitLength   *int    `json:"bitLength,omitempty" api:"bit_length,empty" rule:"immutable,min=1,max=32767" doc:"Length of the key in bits, as information for its users." example:"256"`
	Mode        *string `json:"mode,omitempty" api:"mode,empty,trimmed" rule:"immutable,min=1,max=255" doc:"Mode of the algorithm, as information for users of the key." example:"cbc"`
}

// More holds the fields of a secret that only Barbican sets.
type More struct {
	Ref        string     `json:"secretRef" api:"secret_ref"`
	Status     string     `json:"status" api:"status"`
	CreatorID  string     `json:"creatorID" api:"creator_id"`
	Expiration table.Time `json:"expiration" api:"expiration"`
	CreatedAt  table.Time `json:"createdAt" api:"created"`
	UpdatedAt  table.Time `json:"updatedAt" api:"updated"`
}

// Filter selects an existing secret.
type Filter struct {
	Name       *string `json:"name,omitempty" doc:"Exact name, without the owner mark that the cloud shows after it."`
	SecretType *string `json:"secretType,omitempty" rule:"enum=opaque|passphrase|certificate|private|public|symmetric" doc:"Type of the secret."`
	Algorithm  *string `json:"algorithm,omitempty" doc:"Algorithm of the key in the secret, such as aes."`
	Mode       *string `json:"mode,omitempty" doc:"Mode of the algorithm, such as cbc."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	want   = typed.Want[Spec]
	object = table.Object[Spec, More]
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind returns the kind BarbicanSecret. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "BarbicanSecret", Service: cloud.KeyManager, FixedMark: true, Rare: true,
			Loss:   []string{"its content, for people without the repository"},
			Unmark: "the mark is the end of the name, which Barbican cannot change: openstack secret delete <address>",
			Doc:    "A secret that services of the cloud read, such as the certificate of a load balancer (Barbican). Its payload comes from a Secret and is never shown.",
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
		Create: create, Update: update, QuotaNeeded: define.One[Spec](cloud.KeyManager, "secrets"),
	})
}
