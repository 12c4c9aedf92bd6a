package kind

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Desired is the desired state of one object.
type Desired struct {
	Key    manifest.Key
	Origin manifest.Origin
	// Parent is the object in the repository that this one was expanded from; zero for objects that the repository contains
	// themselves.
	Parent manifest.Key
	// Credentials are the credentials that the manifest names; nil if it names none. Entry is the entry of clouds.yaml whose
	// credentials are used; "" for the stack's main one.
	Credentials *CredentialsRef
	Entry       string
	// Spare is true for the objects of a spare member. The group has a spare member only while other members are interrupted.
	Spare bool
	// Scaled is true for the objects of a member that exists only while the group is scaled up to at least that many members.
	Scaled bool
	// Definition has the facts about the object that come from the revision's definitions; nil if there is none.
	Definition *OfDefinition
	// Spec is a pointer to the kind's spec, or the [manifest.Fields] of a kind that a definition makes; nil for imports and
	// data.
	Spec any
	// Unmanaged is true for an object that exists already and that the stack never writes.
	Unmanaged bool
	// Import says which existing object the manifest refers to. If the object is managed, the stack adopts that existing object.
	Import *Import
	// Virtual is true if no object in the cloud corresponds to this object itself.
	Virtual bool
	// Lasts is true if the object stays in the cloud, with its mark, after its manifest is removed, unless an annotation says
	// otherwise.
	Lasts bool
	// Data is the content of a ConfigMap or Secret.
	Data map[string]string
	// Stored is where the object's data are; nil if they are in the repository, or if there are none. Unread is why a value that the
	// object needs is unknown. Then the object is suspended. It is nil if all values are known.
	Stored  *Stored
	Unread  *Unread
	Refs    []RefSpec
	Options Options
	Notes   []Note
	// Rollout is how the members of a group are changed; nil for an object that is no group, or does not specify it.
	Rollout *rollout.Strategy
	// Probes are the checks by which the agent finds out whether the members of a group serve.
	Probes []rollout.Probe
	// From are the earlier keys of the object. No other object has one of these keys. A cloud object with a mark for one of them
	// is this object.
	From []manifest.Key

	// Object is the document, Body is its type, and SpecPath is the path of Spec in it.
	Object   *manifest.Object
	Body     manifest.Type
	SpecPath string
	// PublicData is true if Data may be shown. Public is true if all fields may be shown.
	PublicData, Public bool
	// Encrypted are the fields of the spec or the data whose values are encrypted in the repository, or are made of such values
	// alone, sorted. Nobody may see them.
	Encrypted []string
	// Sum is a checksum over everything that a commit can change. Digest is the 60 bits of Sum that marks store. Of an object
	// with secrets, neither is stored or shown anywhere; see Confidential.
	Sum          checksum.Sum
	Digest       string
	Confidential Confidential
}

// CredentialsRef names an entry of clouds.yaml, and the Secret from which K-ORC would read that file.
type CredentialsRef struct {
	SecretName string `json:"secretName" rule:"required" doc:"Secret with the credentials for K-ORC. The agent has a clouds.yaml of its own instead; only spec.credentialSecrets of the stack's configuration gives this name an effect."`
	CloudName  string `json:"cloudName" rule:"required" doc:"Entry of the agent's clouds.yaml: the stack's own, or one that spec.clouds of the stack's configuration lists. Without spec.clouds, every name means the stack's own entry. Without effect if spec.credentialSecrets gives an entry for secretName."`
}

// OfDefinition has the facts about an object that come from the revision's definitions.
type OfDefinition struct {
	// Kind is the object's own kind if the revision defines it; nil for other kinds.
	Kind *Kind
	// ID is the name by which the definition of the parent's kind refers to the object; "" if that definition does not refer
	// to it. Place is the object's position among all objects that the parent was expanded into.
	ID    string
	Place int
	// External are the objects whose status the definition of the object's kind only shows, by the names that the definition
	// gives them.
	External map[string]manifest.Key
}

// Defined returns the object's kind if the revision defines that kind; nil otherwise.
func (d *Desired) Defined() *Kind {
	if d == nil || d.Definition == nil {
		return nil
	}
	return d.Definition.Kind
}

// Absent reports whether no manifest describes the object although others refer to it.
func (d *Desired) Absent() bool { return d.Unmanaged && d.Import == nil }

// Import says which existing object of the cloud belongs to a desired object.
type Import struct {
	ID     string
	Filter any // pointer to the kind's filter; nil with ID
	// ByName is true if the existing object is found by this object's name.
	ByName bool
	// Field is the field of the manifest that says which object is meant, for messages; "" for spec.import.
	Field string
	// Hint replaces the usual advice when the filter finds no object, or several.
	Hint string
}

// Where returns the field of the manifest that says which existing object is meant.
func (i *Import) Where() string {
	switch {
	case i.Field != "":
		return i.Field
	case i.ID != "":
		return "spec.import.id"
	}
	return "spec.import.filter"
}

// Named returns the name that the filter of an import selects; "" if it selects by other attributes only, or if there is no filter.
func (i *Import) Named() string {
	if n, ok := i.Filter.(interface{ FilterName() string }); ok {
		return n.FilterName()
	}
	return ""
}

// Searches reports whether the object has to be searched for, since no ID is known.
func (i *Import) Searches() bool { return i.ByName || i.Filter != nil }

// RefSpec is a reference as the manifest states it.
type RefSpec struct {
	Field string
	Key   manifest.Key
	// Fixed is true if the reference cannot be changed without replacing the object.
	Fixed bool
	// Order is true if the reference is no part of the object and only says that the target must exist first.
	Order bool
	// Credentials is true if the target is the object that this one is a part of. This object uses the target's entry of
	// clouds.yaml if its own manifest cannot name one.
	Credentials bool
	// Reads is true if the object only reads a value, such as an address, that its target shows.
	Reads bool
	// Late is true if the reference is part of a circle. The object is created without the reference, and updated when the
	// target is ready.
	Late bool
}

// Options are the settings of an object. Most of them come from annotations under stackreeve.dev/.
type Options struct {
	Suspend bool
	Detach  bool  // after the manifest is removed, the object stays in the cloud and is no longer managed.
	NoPrune bool  // the object is not deleted when its manifest is removed.
	Replace *bool // whether the object may be replaced; nil if the stack's configuration decides.
	// DataLoss is true if data that exists nowhere else may be lost; nil if the stack's configuration decides.
	DataLoss *bool `json:",omitempty"` // omitted, so that marks of objects without it do not change
	Report   *bool // whether drift is only reported; nil if the stack's configuration decides.
	// Ignore are the paths of fields that are left to others, and of list elements that are left to others. The path of a list
	// element names the element by its ID, and has no indexes of the lists around it.
	Ignore []string
	// Ways are the chosen ways of carrying out changes: names of ways by the paths of fields.
	Ways map[string]string `json:",omitempty"` // omitted, so that marks of objects without ways do not change
	// Entrusted are the fields, by their paths, that the steps of another object change instead of this object's own steps. It
	// applies only to changes that would replace this object.
	Entrusted map[string]manifest.Key `json:"-"`
}

// NewDesired returns an object of which only the document is known so far.
func NewDesired(obj *manifest.Object) Desired {
	return Desired{Key: obj.Key, Origin: obj.Origin, Object: obj, SpecPath: "spec", Encrypted: obj.Encrypted()}
}

// Encrypts reports whether a field is or contains an encrypted value, or is a part of one.
func (d *Desired) Encrypts(field string) bool {
	return d != nil && manifest.Touches(d.Encrypted, field)
}

// Conceal marks the changes of encrypted fields as secret, and removes their values.
func (d *Desired) Conceal(changes Changes) Changes {
	if d == nil || len(d.Encrypted) == 0 {
		return changes
	}
	changes.list = slices.Clone(changes.list)
	for i := range changes.list {
		if c := &changes.list[i]; !c.Secret && d.Encrypts(c.Field) {
			c.Have, c.Want, c.Secret, c.Cuts = nil, nil, true, ""
		}
	}
	return changes
}

// Problem says what is wrong with a field of the object, and how to correct it.
func (d *Desired) Problem(field, what, fix string) manifest.Problem {
	return manifest.Problem{Origin: d.Object.Where(field), Key: d.Key, Field: field, What: what, Fix: fix}
}

// Ignores reports whether differences of field are ignored.
func (o Options) Ignores(field string) bool {
	for _, path := range o.Ignore {
		if covers(path, field) {
			return true
		}
	}
	return o.Way(field) == manifest.WayIgnore
}

// covers reports whether path names field or a field around it. A list in path without an index covers all elements.
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

// leaves reports whether a field is left to others, because it is ignored or because drift is only reported.
func (o Options) leaves(field string) bool {
	return o.Ignores(field) || o.Report != nil && *o.Report
}

// Confidential identifies the secrets of a desired object without revealing them. It is empty for an object without secrets.
type Confidential struct {
	Holder string // the name of the object that has the secrets
	Secret string // a hash of the secrets
	// Former are the earlier names of the holder, one for each of [Desired.From].
	Former []string
}

// PlainMark is the mark that the object must have in the cloud if it has no secrets.
func (d *Desired) PlainMark(stack string) Mark {
	return Mark{Owner: ownertext.Of(stack, d.Key), Applied: d.Digest, Keep: d.Options.Detach || d.Options.NoPrune,
		Detach: d.Options.Detach && !d.Options.NoPrune}
}
