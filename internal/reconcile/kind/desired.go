package kind

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Desired is one object as its stack wants it.
type Desired struct {
	Key    manifest.Key
	Origin manifest.Origin
	// Parent is the object in the repository that this one was expanded from;
	// zero for objects that are written there themselves.
	Parent manifest.Key
	// Credentials are those that the manifest names; nil for none. Entry is the entry of
	// clouds.yaml that the object is made through; "" for the stack's main one.
	Credentials *CredentialsRef
	Entry       string
	// Spare is true of what belongs to a member that its group has only while others are interrupted.
	Spare bool
	// Scaled is true of what belongs to a member that its group has only while it shall have so many.
	Scaled bool
	// Definition is what definitions have to do with the object; nil for nothing.
	Definition *OfDefinition
	// Spec is a pointer to the kind's spec, or the [manifest.Fields] of a kind that a definition makes; nil for imports and
	// data.
	Spec any
	// Unmanaged objects exist already and are never written.
	Unmanaged bool
	// Import says which existing object is meant (or, managed, adopted).
	Import *Import
	// Virtual objects have nothing of their own in the cloud.
	Virtual bool
	// Lasts is true of what stays in the cloud, with its mark, when its manifest goes and no annotation says
	// otherwise.
	Lasts bool
	// Data is the content of a ConfigMap or Secret.
	Data    map[string]string
	Refs    []RefSpec
	Options Options
	Notes   []Note
	// Rollout is how the members of a group are changed; nil for what is no group, or does
	// not say.
	Rollout *rollout.Strategy
	// Probes are how the members of a group are asked whether they serve.
	Probes []rollout.Probe
	// From are the keys that the object had before, each its own: what was made for
	// one of them is this object.
	From []manifest.Key

	// Object is the document, Body its type, and SpecPath where Spec stands in it.
	Object   *manifest.Object
	Body     manifest.Type
	SpecPath string
	// PublicData is true when Data may be shown, Public when everything may.
	PublicData, Public bool
	// Sum is of everything that a commit can change, and Digest what marks say of that, in 60 bits. Those of an object
	// with secrets are stored and shown nowhere; see Confidential.
	Sum          checksum.Sum
	Digest       string
	Confidential Confidential
}

// CredentialsRef names an entry of clouds.yaml, and the Secret that K-ORC would take that from.
type CredentialsRef struct {
	SecretName string `json:"secretName" rule:"required" doc:"Secret that K-ORC takes the credentials from. The agent has a clouds.yaml of its own: spec.credentialSecrets of the stack's configuration says which entry of it each Secret stands for; without that the name is ignored."`
	CloudName  string `json:"cloudName" rule:"required" doc:"Entry of the agent's clouds.yaml: the stack's own, or one of spec.clouds in its configuration. Without spec.clouds any name means the stack's own."`
}

// OfDefinition is what definitions in the revision have to do with an object.
type OfDefinition struct {
	// Kind is the object's own where the revision defines it; nil for others.
	Kind *Kind
	// ID is what the definition of the parent's kind calls the object; "" for others. Place is where it stands among all
	// that the parent was expanded into.
	ID    string
	Place int
	// External are the objects that the definition of the object's kind only shows, by what it calls them.
	External map[string]manifest.Key
}

// Defined is the object's kind where its revision defines it; nil for others.
func (d *Desired) Defined() *Kind {
	if d == nil || d.Definition == nil {
		return nil
	}
	return d.Definition.Kind
}

// Absent reports whether other manifests refer to the object and none describes it.
func (d *Desired) Absent() bool { return d.Unmanaged && d.Import == nil }

// Import says which existing object a desired object stands for.
type Import struct {
	ID     string
	Filter any // pointer to the kind's filter; nil with ID
	// ByName is true where the one of the object's own name is meant.
	ByName bool
	// Field is where the manifest says so, for people; "" for spec.import.
	Field string
	// Hint replaces the advice given when the filter finds nothing, or too much.
	Hint string
}

// Where is the field that says which object is meant.
func (i *Import) Where() string {
	switch {
	case i.Field != "":
		return i.Field
	case i.ID != "":
		return "spec.import.id"
	}
	return "spec.import.filter"
}

// Searches reports whether the object has to be found first: no ID is known.
func (i *Import) Searches() bool { return i.ByName || i.Filter != nil }

// RefSpec is a reference as a manifest has it.
type RefSpec struct {
	Field string
	Key   manifest.Key
	// Fixed references cannot be changed without replacing the object.
	Fixed bool
	// Order references are no part of the object: their target must only be
	// there first.
	Order bool
	// Credentials references are to what the object is a part of: it is made through the same entry of clouds.yaml, where its
	// manifest can name none itself.
	Credentials bool
	// Reads references only take from their target what it shows, such as an address.
	Reads bool
	// Late references are in a circle: the object is made without them, and
	// changed when their target is ready.
	Late bool
}

// Options are the wishes that annotations under stackreeve.dev/ carry.
type Options struct {
	Suspend bool
	Detach  bool  // leave in the cloud, unmanaged, when the manifest goes
	NoPrune bool  // never delete for want of a manifest
	Replace *bool // nil: the stack decides
	// DataLoss is whether data may be lost that is nowhere else; nil: the stack decides.
	DataLoss *bool `json:",omitempty"` // marks of objects that do not say stay as they are
	Report   *bool // drift is only reported; nil: the stack decides
	// Ignore are the fields that are left to others, and elements of lists by their IDs, without the places of lists around them.
	Ignore []string
	// Ways are how changes of fields are carried out where there is a choice: names of
	// ways by the paths of fields.
	Ways map[string]string `json:",omitempty"` // marks of objects without any stay as they are
	// Entrusted are the fields, by their paths, whose changes are made by the steps of
	// another object, as far as they would replace this one.
	Entrusted map[string]manifest.Key `json:"-"`
}

// NewDesired is an object of which only the document is known so far.
func NewDesired(obj *manifest.Object) Desired {
	return Desired{Key: obj.Key, Origin: obj.Origin, Object: obj, SpecPath: "spec"}
}

// Problem is what is wrong with a field of the object, and how to correct it.
func (d *Desired) Problem(field, what, fix string) manifest.Problem {
	return manifest.Problem{Origin: d.Object.Where(field), Key: d.Key, Field: field, What: what, Fix: fix}
}

// Ignores reports whether changes of field are left alone.
func (o Options) Ignores(field string) bool {
	for _, path := range o.Ignore {
		if covers(path, field) {
			return true
		}
	}
	return o.Way(field) == manifest.WayIgnore
}

// covers reports whether a field is that of a path, or within it. A path without the place of a list stands for all places.
func covers(path, field string) bool {
	for path != "" {
		if end := strings.IndexByte(field, ']'); field != "" && field[0] == '[' && path[0] != '[' && end > 0 {
			field = field[end+1:]
			continue
		}
		if field == "" || path[0] != field[0] {
			return false
		}
		path, field = path[1:], field[1:]
	}
	return field == "" || field[0] == '.' || field[0] == '['
}

// leaves reports whether a field is for others to write.
func (o Options) leaves(field string) bool {
	return o.Ignores(field) || o.Report != nil && *o.Report
}

// Confidential is what of a desired object must not be guessed. It is empty for an
// object without secrets.
type Confidential struct {
	Holder string // who holds the secrets
	Secret string // a hash of them
	// Former holders are what the holder was called, for each of [Desired.From].
	Former []string
}

// PlainMark is what the object shall bear in the cloud when it has no secrets.
func (d *Desired) PlainMark(stack string) Mark {
	return Mark{Owner: ownertext.Of(stack, d.Key), Applied: d.Digest, Keep: d.Options.Detach || d.Options.NoPrune,
		Detach: d.Options.Detach && !d.Options.NoPrune}
}
