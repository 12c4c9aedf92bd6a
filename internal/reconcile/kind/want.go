package kind

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Want is a desired object as the functions of its kind see it.
type Want struct {
	Key manifest.Key
	// Spec is a pointer to the kind's spec, or to the filter that the object is imported by.
	Spec any
	// Mark is the mark that the object in the cloud must have.
	Mark Mark

	lookups Lookups
	options *Options // the object's options; nil if it has none
	holder  string   // the holder of the object's secrets
}

// Lookups let a desired object look up other objects. The zero value finds none.
type Lookups struct {
	*PlanLookups
	Former []Identity // the object's earlier names
}

// PlanLookups is the part of the [Lookups] that all objects of a plan share. Package decide makes it for each plan.
type PlanLookups struct {
	Lookup  func(manifest.Key) Ref            // resolves a reference; the caller fills in its key and name.
	Marked  func(manifest.Key) (Facts, error) // facts of the object with the mark of a key, see [Want.Marked].
	Groups  map[string]string                 // API groups, by the name of the kind
	Printer *fingerprint.Printer              // makes fingerprints of secrets
	// StandsIn reports whether the object with the token is a former member that its group still needs; see [Want.StandsIn].
	StandsIn func(token string) bool
}

// planLookups is never nil.
func (w Want) planLookups() *PlanLookups {
	if w.lookups.PlanLookups == nil {
		return &PlanLookups{}
	}
	return w.lookups.PlanLookups
}

// Identity is the name of an object, its owner text and the name of the holder of its secrets.
type Identity struct{ Name, Owner, Holder string }

// NewWant returns a desired object as its kind sees it. spec is its spec, or the filter that it is imported by. mark is the mark that
// it must have.
func NewWant(d *Desired, spec any, mark Mark, around Lookups) Want {
	return Want{d.Key, spec, mark, around, &d.Options, d.Confidential.Holder}
}

// CopyMark returns a copy of the mark, for a [Live] that a driver has created. A pointer into w would keep w in memory as long as that object,
// and with w the whole plan that answers its lookups.
func (w Want) CopyMark() *Mark {
	mark := w.Mark
	return &mark
}

// OthersWrite reports whether the object's annotations leave a field to others, because the field is ignored or drift is only
// reported.
func (w Want) OthersWrite(field string) bool {
	return w.options != nil && w.options.leaves(field)
}

// IgnoresElement reports whether the object's annotations leave an element of a list to others. The element is an object of the cloud with
// that ID. No element of the manifest describes it, and it is not removed. The path list has no indexes of the lists around it.
func (w Want) IgnoresElement(list, id string) bool {
	if w.options == nil || len(w.options.Ignore) == 0 {
		return false
	}
	return slices.Contains(w.options.Ignore, ElementPath(list, id))
}

var listIndexes = pattern.Of(`\[\d+\]\.`)

// WithoutIndexes returns a path without the indexes of list elements.
func WithoutIndexes(path string) string { return listIndexes.ReplaceAllString(path, ".") }

// ElementPath returns the path of an element of a list, if the element is an object of the cloud with that ID.
func ElementPath(list, id string) string { return list + "[" + id + "]" }

// HadName reports whether the object had that name before, according to its manifest. If the cloud cannot rename an object, the
// object still has an earlier name.
func (w Want) HadName(name string) bool {
	return slices.ContainsFunc(w.lookups.Former, func(was Identity) bool { return was.Name == name })
}

// StandsIn reports whether a token belongs to a former member that its group still needs, because too few other members serve. Objects
// still send traffic to such a member although their manifests no longer name it.
func (w Want) StandsIn(token string) bool {
	return w.planLookups().StandsIn != nil && w.planLookups().StandsIn(token)
}

// Ref resolves a reference by kind and name within the object's namespace.
func (w Want) Ref(kind, name string) Ref {
	if name == "" {
		return Ref{}
	}
	key, ref := w.key(kind, name), Ref{}
	if w.planLookups().Lookup != nil {
		ref = w.planLookups().Lookup(key)
	}
	ref.Key, ref.Name = key, name
	return ref
}

// Marked returns the facts of the one object in the cloud that has the stack's mark for a key in this object's namespace. A manifest
// for that key is not necessary. The error says why no object can be used.
func (w Want) Marked(kind, name string) (Facts, error) {
	if w.planLookups().Marked == nil {
		return Facts{}, ErrGone
	}
	return w.planLookups().Marked(w.key(kind, name))
}

func (w Want) key(kind, name string) manifest.Key {
	return manifest.Key{Group: w.planLookups().Groups[kind], Kind: kind, Namespace: w.Key.Namespace, Name: name}
}
