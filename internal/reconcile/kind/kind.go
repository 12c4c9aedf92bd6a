package kind

import (
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Kind is what the core knows of a kind. Decode and Name are always set. A kind that has objects in the cloud sets Diff, Match, Status
// and Driver, too. Each other function is an ability, and nil for a kind without it. Functions of a [Want] or of a state (see
// [Live.State]) are pure: no I/O, no clock, no randomness.
type Kind struct {
	Info Info
	// Body is the type of a document of this kind (its spec field and the fields beside it), for schema and explain. SpecPath is the
	// path of the spec in it; "" for none.
	Body     manifest.Type
	SpecPath string
	// Decode reads and validates a document.
	Decode func(obj *manifest.Object) (Desired, []manifest.Problem)

	// Group describes the members of a group; zero for a kind that is no group.
	Group Group
	// Cures are the ways to repair a member of a group without replacing it; an object of this kind does the member's work. An update
	// carries out a change that has one of the cures as its Way. If a member stands for several objects, the object with the member's
	// own name and with cures does its work.
	Cures []Way
	// Expand adds the objects that an object stands for.
	Expand func(d *Desired, e *Expansion)
	// Summarize adds fields of the workload kind's own to the status of an object; nil for none.
	Summarize func(spec any, parts []PartStatus) map[string]any
	// StatusExpr is the status of an object by the expressions of its definition, nil for none. unready says why it is not ready
	// although its parts are, "" where it is ready. parts are the statuses of the objects that it consists of, by their IDs in the
	// definition, in order. spend takes the cost of expressions; when it returns false no more may be evaluated.
	StatusExpr func(d *Desired, parts map[string][]any, spend func(cost int) bool) (status any, unready string)
	// Gather proposes manifests of a workload that replace those of its parts. Each proposal is tested: it is written only if it
	// expands into exactly what the cloud has.
	Gather func(of []Exported) []Gathered
	// Define makes kinds from all documents in a revision whose kinds have this function, in addition to kinds. A mistake in a
	// document is a problem. Its kind is defined all the same, so that the kind's objects are not unknown. stop returns an error when
	// the work must end.
	Define func(documents []*manifest.Object, kinds []*Kind, stop func() error) ([]*Kind, []manifest.Problem)

	// Name is the name of the object in the cloud.
	Name func(w Want) string
	// Stated are the facts that follow from the spec alone, as soon as an object is created from it.
	Stated func(spec any) Facts
	// Project is the reference to the object's project; zero where the manifest names none and the stack's own is used.
	Project func(w Want) Ref
	// Zone is the availability zone that a manifest asks for; "" for none.
	Zone func(w Want) string
	// PerHost is how many of the objects that refer to this one may share a host; 0 for any number. hard is false if that limit yields
	// when there are too few hosts. PerHostOf is the same for an object that is only imported.
	PerHost   func(w Want) (n int, hard bool)
	PerHostOf func(have any) (n int, hard bool)
	// Takes are the amounts of quotas that an object will use; nil where they are unknown. Holds are the amounts that an object in the
	// cloud uses.
	Takes func(w Want) Amounts
	Holds func(have any, of FactsOf) Amounts
	// Impossible says why any cloud will refuse to create an object, with the field; "" when no reason is known. A value that is not
	// known yet is no reason. Doubtful says what a cloud refuses by a policy that its operators can change: people are warned about
	// it.
	Impossible func(w Want) string
	Doubtful   func(w Want) string
	// ExclusiveClaims are the values that a manifest asks for and that only one object can have, such as an address of a subnet.
	ExclusiveClaims func(w Want) []Claim

	// Diff reports every managed field of an object that differs from the manifest.
	Diff func(w Want, have any) Changes
	// Match reports whether an object satisfies an import filter, which is the spec of w.
	Match func(w Want, have any) bool
	// Status is the observed object in the kind's published vocabulary (status.resource). StatusID is the ID that the status shows for
	// an object with that ID; nil for the ID itself.
	Status   func(have any) any
	StatusID func(id string) string
	// Export returns a pointer to the spec of an object in the cloud. The caller may change it. It has IDs in place of the names of
	// other objects, and no fields that a manifest can leave out.
	Export func(have any, e *Export) any
	// Upkeep says what is due at a time. The engine calls it for objects that are up to date or left alone, while all objects that
	// they refer to can be used.
	Upkeep func(w Want, have any, now time.Time) Upkeep

	// Driver is nil for a kind that has no objects of its own in the cloud.
	Driver *Driver
}

// Group describes the members of a group kind.
type Group struct {
	Members string // their kind: all are alike and can replace each other
	Spec    string // the field of the group's manifest with the template of the members' spec: mistakes in a member are reported there
}

// Driver alone talks to the cloud. A function returns as soon as the cloud has accepted the request; the engine observes the result.
type Driver struct {
	// List returns every object of the collection that the project can see, or an error; never a part of the collection.
	List func(ctx context.Context, asked Listing) ([]Live, error)
	// Create creates the object. The mark MUST be in the first request that creates anything. Then a kill at any moment leaves only
	// objects that the next List recognises.
	Create func(ctx context.Context, w Want) (Live, error)
	// Update carries out changes, and writes the mark last.
	Update func(ctx context.Context, w Want, have Live, changes []Change) error
	// Delete removes the object. gone is true when the cloud no longer knows it at once.
	Delete func(ctx context.Context, have Live) (gone bool, err error)
	// Unmark removes the mark from the object and changes nothing else. After a kill at any moment the object bears its mark as
	// before, or none. It is never called for a kind with FixedMark or StaysMarked.
	Unmark func(ctx context.Context, have Live) error
	// Trace returns who made changes; nil where the cloud reports no more than the time of an object's last change (see
	// [Live.Updated]). have is the object as it was when the changes were noticed. If the object is gone, only its ID is known: State
	// and changes are nil. ok is false when the cloud does not report it.
	Trace func(ctx context.Context, have Live, changes []Change) (t Trace, ok bool, err error)
}

// GroupsOf returns the API groups of kinds, by the name of the kind.
func GroupsOf(kinds []*Kind) map[string]string {
	groups := make(map[string]string, len(kinds))
	for _, k := range kinds {
		groups[k.Info.Kind] = k.Info.Group
	}
	return groups
}
