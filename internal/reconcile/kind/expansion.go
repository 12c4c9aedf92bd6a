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
	Key manifest.Key

	origin     manifest.Origin
	options    *Options
	repository Repository
	parts      []Part
	rollout    *rollout.Strategy
	probes     []rollout.Probe
	suspended  bool
	unsure     bool
	public     bool
	err        error // of the first body that cannot be one
}

// Repository is what an expansion can ask about the other objects of its
// revision, and what bounds it. Lists of names are not the caller's to change.
type Repository interface {
	// Key is the key of an object of a kind, with the kind's group.
	Key(kind, namespace, name string) manifest.Key
	// Has reports whether there is an object of that key so far.
	Has(key manifest.Key) bool
	// Data is the content of a ConfigMap or Secret; nil when there is none such.
	Data(key manifest.Key) map[string]string
	// Declared lists the names of the objects of a kind that the repository holds.
	Declared(kind, namespace string) []string
	// Nearest is the name that a person most likely meant; "" when none is close.
	Nearest(name string, names []string) string
	// Referring lists the objects of a kind that the repository holds and that
	// refer to another, Referred those of a kind that an object refers to.
	Referring(kind string, to manifest.Key) []string
	Referred(by manifest.Key, kind string) []string
	// Imported is how an object that the stack does not make is found; nil for others.
	Imported(key manifest.Key) *Import
	// Entrust leaves changes of a field of an object, as far as they would replace it, to
	// the steps of another one. It reports whether there is such an object so far, and
	// its annotations leave that open.
	Entrust(key manifest.Key, field string, to manifest.Key) bool
	// Stated are the facts that the manifest of an object states; see [Kind.Stated].
	Stated(key manifest.Key) Facts
	// Members lists what an object expands into, of one kind. ok is false when there
	// is no such object.
	Members(of manifest.Key, kind string) (names []string, ok bool)
	// Doubtful reports whether an object, or what it would be a part of, is wrong itself: nothing follows from what it lacks.
	Doubtful(key manifest.Key) bool
	// TakeObjects and TakeBody spend what a revision may cost: so many objects, and
	// so many objects of one body. When they are false nothing more may be made.
	TakeObjects(count int) bool
	TakeBody(body *manifest.Body, count int) bool
	// TakeCost spends what expressions cost.
	TakeCost(cost int) bool
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
func NewExpansion(of *Desired, in Repository) *Expansion {
	return &Expansion{Key: of.Key, origin: of.Origin, options: &of.Options, repository: in}
}

// Parts are what the object expands into, or why it cannot be expanded.
func (e *Expansion) Parts() ([]Part, error) { return e.parts, e.err }

// Rollout is how the object's members are changed, and asked whether they serve, as far as it says.
func (e *Expansion) Rollout() (*rollout.Strategy, []rollout.Probe) { return e.rollout, e.probes }

// Roll says how the object's members are changed, and asked whether they serve.
func (e *Expansion) Roll(s rollout.Strategy, probes []rollout.Probe) {
	e.rollout, e.probes = &s, probes
}

// Suspend leaves all that the object stands for exactly as it is, as its annotation could.
func (e *Expansion) Suspend() { e.suspended = true }

// Suspended reports whether [Expansion.Suspend] was called.
func (e *Expansion) Suspended() bool { return e.suspended }

// Public says that nothing of what the object stands for is a secret, not even in fields that hold some elsewhere.
func (e *Expansion) Public() { e.public = true }

// IsPublic reports whether [Expansion.Public] was called.
func (e *Expansion) IsPublic() bool { return e.public }

// Child adds an object of another kind that the workload is made of. body is
// the document without apiVersion, kind and metadata.
func (e *Expansion) Child(kind, name string, body any) {
	e.Children(kind, 1, func(int) string { return name }, body)
}

// Children adds so many objects of another kind that are alike but for their
// names.
func (e *Expansion) Children(kind string, count int, name func(i int) string, body any) {
	e.Varied(kind, count, name, []any{body}, func(int) int { return 0 }, Always)
}

// Spares adds objects like [Expansion.Children] that there are only while the members among
// those are changed.
func (e *Expansion) Spares(kind string, count int, name func(i int) string, body any) {
	e.Varied(kind, count, name, []any{body}, func(int) int { return 0 }, Spare)
}

// SparePrefix stands before the number of a further member, behind the name of its group: no other member is called so. What is in
// the cloud is known by that when the group does not allow so many any more.
const SparePrefix = "spare-"

// SpareName is what a further member of a group is called.
func SpareName(group string, i int) string { return fmt.Sprintf("%s-%s%d", group, SparePrefix, i) }

// Varied adds objects like [Expansion.Children], or [Expansion.Spares], that have one of several bodies each.
func (e *Expansion) Varied(kind string, count int, name func(i int) string, bodies []any, which func(i int) int, when Presence) {
	if count <= 0 || !e.repository.TakeObjects(count) {
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
	e.parts = slices.Grow(e.parts, count)
	for i := range count {
		e.parts = append(e.parts, Part{Key: e.key(kind, name(i)), Body: made[which(i)], Presence: when})
	}
}

// Existing adds an import that is used unless the repository declares an
// object of that kind and name itself. hint says to people what to do when it
// cannot be found; "" for the usual advice.
func (e *Expansion) Existing(kind, name string, body any, hint string) {
	key := e.key(kind, name)
	if e.repository.Has(key) {
		e.parts = append(e.parts, Part{Key: key})
		return
	}
	if !e.repository.TakeObjects(1) {
		return
	}
	if made := e.body(body, 1); made != nil {
		e.parts = append(e.parts, Part{Key: key, Body: made, Fallback: true, Hint: hint})
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
	if !e.repository.TakeBody(made, count) {
		return nil
	}
	return made
}

func (e *Expansion) key(kind, name string) manifest.Key {
	return e.repository.Key(kind, e.Key.Namespace, name)
}

// Declared lists the names of the objects of a kind that the repository itself
// declares in the namespace, sorted. The list is not the caller's to change.
func (e *Expansion) Declared(kind string) []string {
	return e.repository.Declared(kind, e.Key.Namespace)
}

// Declares reports whether the repository itself declares an object of that kind
// and name in the namespace.
func (e *Expansion) Declares(kind, name string) bool {
	_, found := slices.BinarySearchFunc(e.Declared(kind), name, natural.Compare)
	return found
}

// Meant is the declared object of a kind whose name a person most likely meant;
// "" when there is none, or when too many were looked for.
func (e *Expansion) Meant(kind, name string) string {
	return e.repository.Nearest(name, e.Declared(kind))
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
	if e.repository.Doubtful(e.key(kind, name)) {
		e.unsure = true
		return
	}
	e.Problem(field, what, fix)
}

// Unsure reports whether something is left out because an object that is referred to is wrong itself.
func (e *Expansion) Unsure() bool { return e.unsure }

// Referring lists the names of the objects of a kind that the repository itself
// declares in the namespace and that refer to the named object, sorted. The list
// is not the caller's to change.
func (e *Expansion) Referring(kind, toKind, toName string) []string {
	return e.repository.Referring(kind, e.key(toKind, toName))
}

// Data returns one entry of a ConfigMap or Secret of the namespace. ok is false
// when there is none such.
func (e *Expansion) Data(kind, name, entry string) (text string, ok bool) {
	text, ok = e.repository.Data(e.key(kind, name))[entry]
	return text, ok
}

// Members lists the names of the objects of a kind that the named object
// expands into, at any depth, in the order they were made. ok is false when
// the repository has no such object. The list is not the caller's to change.
func (e *Expansion) Members(ofKind, ofName, kind string) (names []string, ok bool) {
	return e.repository.Members(e.key(ofKind, ofName), kind)
}

// Stated are the facts that the manifest of the named object, which may be a member of another one, states; see [Kind.Stated].
func (e *Expansion) Stated(kind, name string) Facts { return e.repository.Stated(e.key(kind, name)) }

// Way is how the object's annotation has changes of a field carried out; see [Options.Way].
func (e *Expansion) Way(field string) string { return e.options.Way(field) }

// Entrusted leaves it to this object to change a field of another one: a reference, in
// the way that this one's annotation chooses for the field of that path. names are what
// the other one refers to now. ok is false where there is no such object so far, it does
// not refer to any, or its own annotations say something else.
func (e *Expansion) Entrusted(ofKind, ofName, field, kind string) (names []string, ok bool) {
	key := e.key(ofKind, ofName)
	names = e.repository.Referred(key, kind)
	return names, len(names) > 0 && e.repository.Entrust(key, field, e.Key)
}

// Referred lists the names of the objects of a kind that the named object, which
// the repository itself declares, refers to, in the order of its manifest. ok is
// false when the repository declares no such object.
func (e *Expansion) Referred(byKind, byName, kind string) (names []string, ok bool) {
	if !e.Declares(byKind, byName) {
		return nil, false
	}
	return e.repository.Referred(e.key(byKind, byName), kind), true
}

// MemberReferred is [Expansion.Referred] for an object that may be a member of another one.
func (e *Expansion) MemberReferred(byKind, byName, kind string) []string {
	return e.repository.Referred(e.key(byKind, byName), kind)
}

// Imported is how the named object, which the stack does not make, is found; nil for one that it
// makes, or where there is none.
func (e *Expansion) Imported(kind, name string) *Import {
	return e.repository.Imported(e.key(kind, name))
}

// Shown reports whether the part is an object that the definition only shows.
func (p Part) Shown() bool { return p.Body == nil && p.ID != "" }
