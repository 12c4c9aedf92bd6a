package kind

import (
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Kind has everything that the core knows about a kind. Decode and Name are always set. A kind that has objects in the cloud sets
// Diff, Match, Status and Driver, too. Each other function is optional, and may be nil. Functions of a [Want] or of a state (see
// [Live.State]) are pure: no I/O, no clock, no randomness.
type Kind struct {
	Info Info
	// Body is the type of a document of this kind (its spec field and the fields beside it), for schema and explain. SpecPath is the
	// path of the spec in it; "" if there is none.
	Body     manifest.Type
	SpecPath string
	// Decode reads and validates a document.
	Decode func(obj *manifest.Object) (Desired, []manifest.Problem)

	// Group describes the members of a group; zero for a kind that is no group.
	Group Group
	// Cures are the ways to repair a member of a group without replacing it, if an object of this kind does the member's work. A
	// repair is an update with a change whose Way is one of the cures. If a member expands into several objects, the object that has
	// the member's name, and whose kind has cures, does the member's work.
	Cures []Way
	// Expand adds the objects that an object expands into.
	Expand func(d *Desired, e *Expansion)
	// Summarize returns additional fields for the status of an object of a workload kind; nil if there is none.
	Summarize func(spec any, parts []PartStatus) map[string]any
	// StatusExpr evaluates the status expressions of an object's definition. status is nil if there are none. unready says why the
	// object is not ready although its parts are; "" if it is ready. parts are the statuses of the object's parts, by their IDs in the
	// definition, in order. StatusExpr passes the cost of each expression to spend, and evaluates no more if spend returns false.
	StatusExpr func(d *Desired, parts map[string][]any, spend func(cost int) bool) (status any, unready string)
	// Gather proposes manifests of a workload that replace those of its parts. Each proposal is tested: it is written only if it
	// expands into exactly what the cloud has.
	Gather func(of []Exported) []Gathered
	// Define makes kinds from all documents in a revision whose kinds have this function, in addition to kinds. A mistake in a
	// document is a problem. The document's kind is defined nevertheless, so that its objects are not reported as objects of an
	// unknown kind. If stop returns an error, Define returns early.
	Define func(documents []*manifest.Object, kinds []*Kind, stop func() error) ([]*Kind, []manifest.Problem)

	// Name is the name of the object in the cloud.
	Name func(w Want) string
	// Stated are the facts that follow from the spec alone, as soon as an object is created from it.
	Stated func(spec any) Facts
	// Project is the reference to the object's project; zero if the manifest names none, so that the stack's own project is used.
	Project func(w Want) Ref
	// Zone is the availability zone that a manifest asks for; "" if there is none.
	Zone func(w Want) string
	// PerHost is how many of the objects that refer to this one may share a host; 0 for any number. hard is false if the cloud may
	// exceed that limit when there are too few hosts. PerHostOf returns the same for an object that is only imported.
	PerHost   func(w Want) (n int, hard bool)
	PerHostOf func(have any) (n int, hard bool)
	// Joins are the collections of [Info.Joins] that a list reads only if a manifest needs them, and that a manifest with this spec
	// ([Desired.Spec]) needs.
	Joins func(spec any) []string
	// QuotaNeeded returns the amounts of quotas that an object will use; nil if they are unknown. QuotaUsed returns the amounts that an
	// existing object in the cloud uses.
	QuotaNeeded func(w Want) Amounts
	QuotaUsed   func(have any, of FactsOf) Amounts
	// Impossible says why every cloud will refuse to create an object, with the field; "" if no reason is known. A value that is not
	// known yet is no reason. LikelyRefusal says why a cloud may refuse the object by a policy that its operators can change. People
	// only get a warning about that.
	Impossible    func(w Want) string
	LikelyRefusal func(w Want) string
	// ExclusiveClaims are the values that a manifest asks for and that only one object can have, such as an address of a subnet.
	ExclusiveClaims func(w Want) []Claim

	// Diff reports every managed field of an object that differs from the manifest.
	Diff func(w Want, have any) Changes
	// Match reports whether an object satisfies an import filter, which is the spec of w.
	Match func(w Want, have any) bool
	// Status returns the observed object in the form that is published in status.resource. StatusID converts the ID of an object to
	// the ID that the status shows; nil if both are the same.
	Status   func(have any) any
	StatusID func(id string) string
	// Export returns a pointer to the spec of an object in the cloud. The caller may change it. It has IDs in place of the names of
	// other objects, and no fields that a manifest can leave out.
	Export func(have any, e *Export) any
	// Upkeep returns the maintenance changes that are due at a time. The planner calls it for objects that need no change, while all
	// objects that they refer to can be used.
	Upkeep func(w Want, have any, now time.Time) Upkeep

	// Driver is nil for a kind that has no objects of its own in the cloud.
	Driver *Driver
}

// Group describes the members of a group kind.
type Group struct {
	Members string // the kind of the members. Members are alike and can replace each other.
	Spec    string // the field of the group's manifest with the template of the members' spec. Mistakes in a member are reported there.
}

// Driver alone talks to the cloud. A function returns as soon as the cloud has accepted the request; the engine observes the result.
type Driver struct {
	// List returns every object of the collection that the project can see, or an error; never a part of the collection.
	List func(ctx context.Context, asked Listing) (*Index, error)
	// Create creates the object. The mark MUST be in the first request that creates anything. Then the next List recognises every
	// object, even if the agent was killed at any moment. The returned object must not refer to w, because w keeps the whole plan in memory
	// (see [Want.CopyMark]).
	Create func(ctx context.Context, w Want) (Live, error)
	// Update carries out changes, and writes the mark last.
	Update func(ctx context.Context, w Want, have Live, changes []Change) error
	// Delete removes the object. gone is true if the object no longer exists when Delete returns.
	Delete func(ctx context.Context, have Live) (gone bool, err error)
	// Unmark removes the mark from the object and changes nothing else. If the agent is killed at any moment, the object has either
	// the unchanged mark or none. Unmark is never called for a kind with FixedMark or StaysMarked.
	Unmark func(ctx context.Context, have Live) error
	// Trace returns who made changes; nil if the cloud reports no more than the time of an object's last change (see
	// [Live.Updated]). have is the object's state when the changes were noticed. If the object is gone, only its ID is known: State
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
