package kind

import "github.com/stackreeve/stackreeve/internal/manifest"

// Ref is a reference of a desired object, resolved as far as it goes. The zero
// value stands for a reference that is not given.
type Ref struct {
	Key  manifest.Key
	Name string // as written in the manifest
	// ID and Facts are those of the target, empty while it does not exist.
	ID    string
	Facts Facts
	// Ready is true when the target can be depended on.
	Ready bool
	// Managed is true of a target that the stack makes, Anew where it is about to be replaced: then ID
	// and Facts are of the one that goes. See [Ref.Expected].
	Managed, Anew bool
	stated        func() Facts // those of the manifest; nil for none
	// Data is the content of a ConfigMap or Secret.
	Data map[string]string
	// Traffic is what may be sent to the target.
	Traffic Traffic
	// Spare is true of a target that there need not be now: see [Desired.Spare] and [Desired.Scaled].
	Spare bool
}

// Traffic is what may be sent to an object that is, or is of, a member of a group.
type Traffic int

// What may be sent.
const (
	Flows  Traffic = iota // as the manifest says
	Ends                  // nothing new: it is about to be interrupted
	Pauses                // nothing where nothing is sent to it now: it is not back yet
)

// MadeBy is the reference to an object that the stack makes as spec says.
func (r Ref) MadeBy(k *Kind, spec any) Ref {
	r.Managed = true
	if k != nil && k.Stated != nil {
		r.stated = func() Facts { return k.Stated(spec) }
	}
	return r
}

// Expected are the facts of the target once the plan is carried out, as far as they are known:
// those of the object that is there, or those that the manifest of a new one states.
func (r Ref) Expected() Facts {
	if r.ID != "" && !r.Anew {
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
