package kind

import "github.com/stackreeve/stackreeve/internal/manifest"

// Ref is a reference of a desired object, resolved as far as possible. The zero value stands for a
// missing reference.
type Ref struct {
	Key  manifest.Key
	Name string // as written in the manifest
	// ID and Facts are those of the target, empty while it does not exist.
	ID    string
	Facts Facts
	// Ready is true when other objects can depend on the target.
	Ready bool
	// Managed is true of a target that the stack creates.
	Managed bool
	// Replacing is true if the target is about to be replaced: ID and Facts are still those of the
	// old object. See [Ref.Expected].
	Replacing bool
	stated    func() Facts // those of the manifest; nil for none
	// Data is the content of a ConfigMap or Secret.
	Data map[string]string
	// Traffic is what may be sent to the target.
	Traffic Traffic
	// Spare is true of a target that may be absent now: see [Desired.Spare] and [Desired.Scaled].
	Spare bool
}

// Traffic says what may be sent to a member of a group, or to an object that belongs to one.
type Traffic int

// The values of Traffic.
const (
	Flows  Traffic = iota // as the manifest says
	Ends                  // nothing new: the target is about to be interrupted
	Pauses                // unchanged where nothing is sent to it now: it does not serve again yet
)

// MadeBy returns the reference with the object that the stack creates from spec as its target.
func (r Ref) MadeBy(k *Kind, spec any) Ref {
	r.Managed = true
	if k != nil && k.Stated != nil {
		r.stated = func() Facts { return k.Stated(spec) }
	}
	return r
}

// Expected are the facts of the target after the plan is carried out, as far as they are known. They
// come from the existing object, or from the manifest of a new one.
func (r Ref) Expected() Facts {
	if r.ID != "" && !r.Replacing {
		return r.Facts
	}
	return r.Stated()
}

// Stated are the facts that the manifest of the target states.
func (r Ref) Stated() Facts {
	if r.stated == nil {
		return Facts{}
	}
	return r.stated()
}
