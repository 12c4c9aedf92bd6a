package kind

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Expansion is what a workload kind sees while it says what its object stands
// for, and where it says it.
type Expansion struct {
	Report
	Repository
	Key manifest.Key

	origin   manifest.Origin
	options  *Options
	revision Revision
	said     Expanded
	err      error // of the first body that cannot be one
}

// Expanded is what an object stands for, and what its kind says of that.
type Expanded struct {
	Parts   []Part
	Rollout *rollout.Strategy
	Probes  []rollout.Probe
	// Suspended is true when all of it stays exactly as it is, as the object's annotation could say.
	Suspended bool
	// Public is true when nothing of it is a secret, not even in fields that hold some elsewhere.
	Public bool
	// Unsure is true when something is left out because an object that is referred to is wrong itself.
	Unsure bool
}

// Repository is what a kind can ask about the other objects of a revision, by names in the namespace of its own. Lists of names
// are not the caller's to change.
type Repository interface {
	// Declared lists the names of the objects of a kind that the repository itself declares, sorted.
	Declared(kind string) []string
	// Meant is the declared object of a kind whose name a person most likely meant; "" when there is none, or when too many were
	// looked for.
	Meant(kind, name string) string
	// Data returns one entry of a ConfigMap or Secret. ok is false when there is none such.
	Data(kind, name, entry string) (text string, ok bool)
	// Referring lists the names of the objects of a kind that the repository itself declares and that refer to the named one, sorted.
	Referring(kind, toKind, toName string) []string
	// MemberReferred lists the names of the objects of a kind that the named object refers to, in the order of its manifest. It
	// may be a member of another one; see [Expansion.Referred].
	MemberReferred(byKind, byName, kind string) []string
	// Imported is how the named object, which the stack does not make, is found; nil for one that it makes, or where there is none.
	Imported(kind, name string) *Import
	// Stated are the facts that the manifest of the named object, which may be a member of another one, states; see [Kind.Stated].
	Stated(kind, name string) Facts
	// Members lists the names of the objects of a kind that the named object expands into, at any depth, in the order they were
	// made. ok is false when there is no such object.
	Members(ofKind, ofName, kind string) (names []string, ok bool)
	// TakeCost spends what expressions cost. When it is false nothing more may be evaluated.
	TakeCost(cost int) bool
}

// Revision is where an expansion adds its parts, within what a revision may cost.
type Revision interface {
	Repository
	// KeyOf is the key of an object of a kind, with the kind's group.
	KeyOf(kind, name string) manifest.Key
	// Has reports whether there is an object of that key so far.
	Has(key manifest.Key) bool
	// Entrust leaves changes of a field of an object, as far as they would replace it, to the steps of another one. It reports
	// whether there is such an object so far, and its annotations leave that open.
	Entrust(key manifest.Key, field string, to manifest.Key) bool
	// Doubtful reports whether an object, or what it would be a part of, is wrong itself: nothing follows from what it lacks.
	Doubtful(key manifest.Key) bool
	// TakeObjects and TakeBody spend what a revision may cost: so many objects, and so many objects of one body. When they are
	// false nothing more may be made.
	TakeObjects(count int) bool
	TakeBody(body *manifest.Body, count int) bool
}

// Part is an object that an expansion made.
type Part struct {
	Key  manifest.Key
	Body *manifest.Body // nil of what is there already
	// Fallback is true when an object of that key which the repository holds comes
	// first.
	Fallback bool
	// Hint is for [Import.Hint].
	Hint string
	// Presence is for [Desired.Spare] and [Desired.Scaled].
	Presence Presence
	// ID is for [OfDefinition.ID]. Of a part without a body the object only shows the status.
	ID string
	// Labels and Annotations are those of a template, Template where it has a field; nil for what no template made.
	Labels, Annotations map[string]string
	Template            func(field string) manifest.Origin
}

// Presence is when there is what an expansion made.
type Presence int

// When there is something.
const (
	Always Presence = iota
	Spare           // while others are interrupted
	Scaled          // while the group shall have so many members
)

// NewExpansion begins the expansion of a desired object.
func NewExpansion(of *Desired, in Revision) *Expansion {
	return &Expansion{Repository: in, Key: of.Key, origin: of.Origin, options: &of.Options, revision: in}
}

// Expanded is what the object expands into, or why it cannot be expanded.
func (e *Expansion) Expanded() (Expanded, error) { return e.said, e.err }

// Roll says how the object's members are changed, and asked whether they serve.
func (e *Expansion) Roll(s rollout.Strategy, probes []rollout.Probe) {
	e.said.Rollout, e.said.Probes = &s, probes
}

// Suspend leaves all that the object stands for exactly as it is, as its annotation could.
func (e *Expansion) Suspend() { e.said.Suspended = true }

// Public says that nothing of what the object stands for is a secret, not even in fields that hold some elsewhere.
func (e *Expansion) Public() { e.said.Public = true }

// Child adds an object of another kind that the workload is made of. body is
// the document without apiVersion, kind and metadata.
func (e *Expansion) Child(kind, name string, body any) {
	e.Varied(kind, 1, func(int) string { return name }, []any{body}, func(int) int { return 0 }, Always)
}

// SparePrefix stands before the number of a further member, behind the name of its group: no other member is called so. What is in
// the cloud is known by that when the group does not allow so many any more.
const SparePrefix = "spare-"

// SpareName is what a further member of a group is called.
func SpareName(group string, i int) string { return fmt.Sprintf("%s-%s%d", group, SparePrefix, i) }

// Varied adds so many objects like [Expansion.Child] that have one of several bodies each.
func (e *Expansion) Varied(kind string, count int, name func(i int) string, bodies []any, which func(i int) int, when Presence) {
	if count <= 0 || !e.revision.TakeObjects(count) {
		return
	}
	users := make([]int, len(bodies))
	for i := range count {
		users[which(i)]++
	}
	made := make([]*manifest.Body, len(bodies))
	for i, n := range users {
		if n == 0 {
			continue
		}
		if made[i] = e.body(bodies[i], n); made[i] == nil {
			return
		}
	}
	e.said.Parts = slices.Grow(e.said.Parts, count)
	for i := range count {
		e.said.Parts = append(e.said.Parts, Part{Key: e.revision.KeyOf(kind, name(i)), Body: made[which(i)], Presence: when})
	}
}

// Existing adds an import that is used unless the repository declares an
// object of that kind and name itself. hint says to people what to do when it
// cannot be found; "" for the usual advice.
func (e *Expansion) Existing(kind, name string, body any, hint string) {
	key := e.revision.KeyOf(kind, name)
	if e.revision.Has(key) {
		e.said.Parts = append(e.said.Parts, Part{Key: key})
		return
	}
	if !e.revision.TakeObjects(1) {
		return
	}
	if made := e.body(body, 1); made != nil {
		e.said.Parts = append(e.said.Parts, Part{Key: key, Body: made, Fallback: true, Hint: hint})
	}
}

// body makes the document that so many objects share; nil when it is more than
// may be made, or no document.
func (e *Expansion) body(from any, count int) *manifest.Body {
	made, err := manifest.NewBody(from, e.origin.Line)
	if err != nil {
		e.err = err
		return nil
	}
	if !e.revision.TakeBody(made, count) {
		return nil
	}
	return made
}

// Declares reports whether the repository itself declares an object of that kind
// and name in the namespace.
func (e *Expansion) Declares(kind, name string) bool {
	_, found := slices.BinarySearchFunc(e.Declared(kind), name, natural.Compare)
	return found
}

// Missing reports that a field refers to an object which is not in the repository; more is added to the advice.
func (e *Expansion) Missing(field, kind, name, more string) {
	fix := "add a manifest for it, in namespace " + e.Key.Namespace
	if near := e.Meant(kind, name); near != "" {
		fix = "did you mean " + near + "?"
	}
	e.Lacks(field, kind, name, fmt.Sprintf("refers to %s/%s, which is not in the repository", kind, name), fix+more)
}

// Lacks reports a problem with a field that refers to an object because of what that lacks. Where the object is wrong itself,
// that is reported and this is not.
func (e *Expansion) Lacks(field, kind, name, what, fix string) {
	if e.revision.Doubtful(e.revision.KeyOf(kind, name)) {
		e.said.Unsure = true
		return
	}
	e.Problem(field, what, fix)
}

// Way is how the object's annotation has changes of a field carried out; see [Options.Way].
func (e *Expansion) Way(field string) string { return e.options.Way(field) }

// Entrusted leaves it to this object to change a field of another one: a reference, in
// the way that this one's annotation chooses for the field of that path. names are what
// the other one refers to now. ok is false where there is no such object so far, it does
// not refer to any, or its own annotations say something else.
func (e *Expansion) Entrusted(ofKind, ofName, field, kind string) (names []string, ok bool) {
	key := e.revision.KeyOf(ofKind, ofName)
	names = e.MemberReferred(ofKind, ofName, kind)
	return names, len(names) > 0 && e.revision.Entrust(key, field, e.Key)
}

// Referred lists the names of the objects of a kind that the named object, which
// the repository itself declares, refers to, in the order of its manifest. ok is
// false when the repository declares no such object.
func (e *Expansion) Referred(byKind, byName, kind string) (names []string, ok bool) {
	if !e.Declares(byKind, byName) {
		return nil, false
	}
	return e.MemberReferred(byKind, byName, kind), true
}

// Shown reports whether the part is an object that the definition only shows.
func (p Part) Shown() bool { return p.Body == nil && p.ID != "" }
