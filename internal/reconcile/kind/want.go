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
	// Mark is what the object in the cloud must bear.
	Mark Mark

	around  Surroundings
	options *Options // of the object; nil where nothing is asked of them
	holder  string   // of the object's secrets
}

// Surroundings is what a desired object is seen among. Its zero value knows
// nothing.
type Surroundings struct {
	*Scene
	Former []Identity // what the object was called before
}

// Scene is what all objects of a plan are seen among.
type Scene struct {
	Lookup  func(manifest.Key) Ref            // what a reference comes to; its key and name are filled in
	Marked  func(manifest.Key) (Facts, error) // what bears the mark of a key, see [Want.Marked]
	Groups  map[string]string                 // API groups, by the name of the kind
	Printer *fingerprint.Printer              // of secrets
	// StandsIn says of what answers to a token whether it stands in for others, see [Want.StandsIn].
	StandsIn func(token string) bool
}

// scene is never nil.
func (w Want) scene() *Scene {
	if w.around.Scene == nil {
		return &Scene{}
	}
	return w.around.Scene
}

// Identity is what an object, its owner text and the holder of its secrets are
// called.
type Identity struct{ Name, Owner, Holder string }

// NewWant gives a desired object the shape in which its kind sees it. spec is its
// spec, or the filter that it is imported by, mark what it must bear.
func NewWant(d *Desired, spec any, mark Mark, around Surroundings) Want {
	return Want{d.Key, spec, mark, around, &d.Options, d.Confidential.Holder}
}

// OthersWrite reports whether a field is left to others, say the object's annotations:
// it is ignored, or changes are only reported.
func (w Want) OthersWrite(field string) bool {
	return w.options != nil && w.options.leaves(field)
}

// Leaves reports whether an element of a list, an object of the cloud with that ID, is left to others, say the object's
// annotations: no element of the manifest stands for it, and it stays. list is without the places of lists around it.
func (w Want) Leaves(list, id string) bool {
	if w.options == nil || len(w.options.Ignore) == 0 {
		return false
	}
	return slices.Contains(w.options.Ignore, ElementPath(list, id))
}

var places = pattern.Of(`\[\d+\]\.`)

// WithoutPlaces is a path without the places in the lists that it leads through.
func WithoutPlaces(path string) string { return places.ReplaceAllString(path, ".") }

// ElementPath is the path of an element of a list that is an object of the cloud.
func ElementPath(list, id string) string { return list + "[" + id + "]" }

// WasCalled reports whether the object had that name before, says its manifest. What
// the cloud cannot rename keeps such a name.
func (w Want) WasCalled(name string) bool {
	return slices.ContainsFunc(w.around.Former, func(was Identity) bool { return was.Name == name })
}

// StandsIn reports whether what answers to a token is of a member that its group has no more, and that stays as long as too few of the
// others serve: what sends something to it goes on doing so, although its manifest does not say so any more.
func (w Want) StandsIn(token string) bool {
	return w.scene().StandsIn != nil && w.scene().StandsIn(token)
}

// Ref resolves a reference by kind and name within the object's namespace.
func (w Want) Ref(kind, name string) Ref {
	if name == "" {
		return Ref{}
	}
	key, ref := w.key(kind, name), Ref{}
	if w.scene().Lookup != nil {
		ref = w.scene().Lookup(key)
	}
	ref.Key, ref.Name = key, name
	return ref
}

// Marked are the facts of the one object in the cloud that bears the stack's mark for a key of this object's
// namespace, whether or not a manifest stands for it. The error says why there is none to be used.
func (w Want) Marked(kind, name string) (Facts, error) {
	if w.scene().Marked == nil {
		return Facts{}, ErrGone
	}
	return w.scene().Marked(w.key(kind, name))
}

func (w Want) key(kind, name string) manifest.Key {
	return manifest.Key{Group: w.scene().Groups[kind], Kind: kind, Namespace: w.Key.Namespace, Name: name}
}
