package kind

import "github.com/stackreeve/stackreeve/internal/manifest"

// Ref is a reference of a desired object, resolved as far as possible. The zero value stands for a
// missing reference.
type Ref struct {
	Key  manifest.Key
	Name string // as written in the manifest
	// ID and Facts are the ID and facts of the target, empty while it does not exist.
	ID    string
	Facts Facts
	// Ready is true if objects that depend on the target can be created.
	Ready bool
	// Managed is true if the stack creates the target.
	Managed bool
	// Replacing is true if the target is about to be replaced: ID and Facts still belong to the old
	// object. See [Ref.Expected].
	Replacing bool
	stated    func() Facts // the facts that the target's manifest states; nil if it has no manifest
	// Data is the content of a ConfigMap or Secret.
	Data map[string]string
	// Traffic says what traffic may be sent to the target.
	Traffic Traffic
	// Spare is true if the target may be absent now; see [Desired.Spare] and [Desired.Scaled].
	Spare bool
}

// Traffic says what may be sent to a member of a group, or to an object that belongs to one.
type Traffic int

// The values of Traffic.
const (
	TrafficNormal Traffic = iota // traffic is sent as the manifest says.
	TrafficEnds                  // no new traffic is sent, because the target is about to be interrupted.
	TrafficPauses                // traffic that was stopped is not resumed before the target serves again.
)

// WithNewTarget returns the reference with a new target: the object that the stack creates from spec.
func (r Ref) WithNewTarget(k *Kind, spec any) Ref {
	r.Managed = true
	if k != nil && k.Stated != nil {
		r.stated = func() Facts { return k.Stated(spec) }
	}
	return r
}

// Expected are the facts of the target after the plan is carried out, as far as they are known. They
// are the facts of the existing object, or the facts that the manifest of a new object states.
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
