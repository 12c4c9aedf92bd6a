package kind

import (
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Kind is what the core knows of a kind. Decode is always there, and Name; of what has something of its own in the cloud
// Diff, Match, Status and Driver are, too. Each other function is an ability, and nil of a kind without it. Functions of a
// [Want] or of a state, as [Live.State] has it, are pure: no I/O, no clock, no randomness.
type Kind struct {
	Info Info
	// Body is the type of a document of this kind (its spec field and siblings), for schema and explain. SpecPath is where
	// the spec stands in it; "" for none.
	Body     manifest.Type
	SpecPath string
	// Decode reads and validates a document.
	Decode func(obj *manifest.Object) (Desired, []manifest.Problem)

	// Group is what a group says of its members; zero of a kind that is no group.
	Group Group
	// Cures are the ways in which a member of a group whose work an object does can be brought back, besides replacing it: an
	// update carries out a change that has one of them as its Way. A member that stands for several objects has its work done by
	// the one of its own name that has cures.
	Cures []Way
	// Expand adds what an object stands for.
	Expand func(d *Desired, e *Expansion)
	// Summarize is what status says of an object of a workload besides what it says of all, in the words of the kind; nil for nothing.
	Summarize func(spec any, parts []PartStatus) map[string]any
	// StatusExpr is the status that an object has by the expressions of its definition, nil for none, and why it is not ready
	// although its parts are, "" where it is. parts are what it consists of, as the status of each is shown: of several with
	// one ID all, in their order. spend takes what expressions cost; when it is false no more may be evaluated.
	StatusExpr func(d *Desired, parts map[string][]any, spend func(cost int) bool) (status any, unready string)
	// Gather proposes manifests of a workload in place of what they stand for. Each is tried: it is written only if the parts
	// that it expands into are what the cloud has.
	Gather func(of []Exported) []Gathered
	// Define makes kinds of all documents in a revision whose kinds have it, beside the kinds that there are. What is wrong
	// with a document is a problem; its kind is there all the same, so that its objects are not unknown. stop says whether to
	// end, and why.
	Define func(documents []*manifest.Object, kinds []*Kind, stop func() error) ([]*Kind, []manifest.Problem)

	// Name is the name that the object bears in the cloud.
	Name func(w Want) string
	// Stated are the facts that an object has as soon as it is made as its spec says.
	Stated func(spec any) Facts
	// Project is the reference to the project that an object is in; zero where the manifest leaves it to be the stack's own.
	Project func(w Want) Ref
	// Zone is the availability zone of the service that a manifest asks for; "" for none.
	Zone func(w Want) string
	// PerHost is how many of those that refer to an object may share a host, 0 where any number may; hard is false where that
	// is kept only as far as there are hosts. PerHostOf is the same of an object that is only used.
	PerHost   func(w Want) (n int, hard bool)
	PerHostOf func(have any) (n int, hard bool)
	// Takes are the amounts that an object will take of quotas; nil where that is not known. Holds are those that an object in
	// the cloud has.
	Takes func(w Want) Amounts
	Holds func(have any, of FactsOf) Amounts
	// Impossible says why any cloud will refuse to make an object, with the field; "" when nothing is known to be in the way.
	// What is not known yet is no reason. Doubtful says likewise what a cloud refuses by a policy that its operators can
	// change: people are warned of it.
	Impossible func(w Want) string
	Doubtful   func(w Want) string
	// ExclusiveClaims is what is asked for that only one object can have, such as an address of a subnet.
	ExclusiveClaims func(w Want) []Claim

	// Diff reports every managed field of an object that is not as wanted.
	Diff func(w Want, have any) Changes
	// Match reports whether an object satisfies an import filter, which is the spec of w.
	Match func(w Want, have any) bool
	// Status is the observed object in the kind's published vocabulary (status.resource), StatusID the ID that status shows of
	// an object with that one; nil for the ID itself.
	Status   func(have any) any
	StatusID func(id string) string
	// Export is a pointer to the spec of an object in the cloud, the caller's to change: it has IDs in place of the names of
	// other objects, and nothing that a manifest can leave out.
	Export func(have any, e *Export) any
	// Upkeep says what is due at a time. It is asked of objects that are as wanted, or are left as they are, while all that
	// they refer to can be used.
	Upkeep func(w Want, have any, now time.Time) Upkeep

	// Driver is nil for a kind that has nothing of its own in the cloud.
	Driver *Driver
}

// Group is what an object of a kind of groups consists of.
type Group struct {
	Members string // their kind: all are alike and able to stand in for each other
	Spec    string // where in the group's manifest what the spec of each is made of stands: what is wrong there is reported there
}

// Driver alone talks to the cloud. A function returns as soon as the cloud has accepted the request; the engine observes
// the rest.
type Driver struct {
	// List returns every object of the collection that the project can see, or an error; never a part.
	List func(ctx context.Context, asked Listing) ([]Live, error)
	// Create makes the object. The mark MUST be in the first request that makes anything, so that a kill at any moment leaves
	// only what the next List recognises.
	Create func(ctx context.Context, w Want) (Live, error)
	// Update carries out changes, and writes the mark last.
	Update func(ctx context.Context, w Want, have Live, changes []Change) error
	// Delete removes the object. gone is true when the cloud has already forgotten it.
	Delete func(ctx context.Context, have Live) (gone bool, err error)
	// Unmark takes the mark off the object and changes nothing else of it. After a kill at any moment the object bears its
	// mark as before, or none. It is never asked of a kind with FixedMark or StaysMarked.
	Unmark func(ctx context.Context, have Live) error
	// Trace returns who made changes; nil where the cloud says no more than when an object was last changed (see
	// [Live.Updated]). have is the object as it was when they were noticed; of one that is gone only the ID is known, and its
	// State and changes are nil. ok is false when the cloud does not report it.
	Trace func(ctx context.Context, have Live, changes []Change) (t Trace, ok bool, err error)
}

// GroupsOf are the API groups of kinds, by the name of the kind.
func GroupsOf(kinds []*Kind) map[string]string {
	groups := make(map[string]string, len(kinds))
	for _, k := range kinds {
		groups[k.Info.Kind] = k.Info.Group
	}
	return groups
}
