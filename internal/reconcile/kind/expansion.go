package kind

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Expansion is the input and the output of a workload kind while it expands its object into other objects.
type Expansion struct {
	Report
	Repository
	Key manifest.Key

	origin   manifest.Origin
	options  *Options
	revision Revision
	result   Expanded
	err      error // the reason why a body is no valid document, of the first such body
}

// Expanded is the result of an expansion: the parts of an object, and the settings of its kind for them.
type Expanded struct {
	Parts   []Part
	Rollout *rollout.Strategy
	Probes  []rollout.Probe
	// Suspended is true if no part is changed, as if the object's annotation suspended all of them.
	Suspended bool
	// Public is true when no part is secret, not even fields that are secret in other objects.
	Public bool
	// Unsure is true if a part is missing because it refers to an object whose own manifest has a mistake.
	Unsure bool
}

// Repository answers a kind's questions about the other objects of a revision, by their names in the object's own namespace. Callers
// must not change the lists of names.
type Repository interface {
	// Declared lists the names of the objects of a kind that the repository itself declares, sorted.
	Declared(kind string) []string
	// GuessName guesses which declared object of a kind a person meant by a misspelt name. It is "" if there is none, or after too many
	// guesses.
	GuessName(kind, name string) string
	// Data returns one value of a ConfigMap or Secret. entry is the name of the value; ok is false when there is no such value.
	Data(kind, name, entry string) (text string, ok bool)
	// Referring lists the names of the objects of a kind that the repository itself declares and that refer to the named one, sorted.
	Referring(kind, toKind, toName string) []string
	// MemberReferred lists the names of the objects of a kind that the named object refers to, in the order of its manifest. The
	// named object may be a member of another object; see [Expansion.Referred].
	MemberReferred(byKind, byName, kind string) []string
	// Imported says how the named object, which the stack does not create, is found; nil for an object that the stack creates, or
	// that does not exist.
	Imported(kind, name string) *Import
	// Stated are the facts that the manifest of the named object states; see [Kind.Stated]. The object may be a member of another
	// object.
	Stated(kind, name string) Facts
	// Members lists the names of the objects of a kind that the named object expands into, at any depth, in the order they were
	// made. ok is false when there is no such object.
	Members(ofKind, ofName, kind string) (names []string, ok bool)
	// TakeCost subtracts the cost of expressions from the revision's budget. If it returns false, no further expression may be
	// evaluated.
	TakeCost(cost int) bool
}

// Revision is the revision to which an expansion adds its parts, within a budget.
type Revision interface {
	Repository
	// KeyOf is the key of an object of a kind, with the kind's group.
	KeyOf(kind, name string) manifest.Key
	// Has reports whether the revision has an object of that key so far.
	Has(key manifest.Key) bool
	// Entrust makes one object responsible for changing a field of another one, if the change would replace that other object. The
	// parameter key names the changed object, the parameter to the responsible one. Entrust returns false if the changed object does
	// not exist so far, or if its annotations decide about the field.
	Entrust(key manifest.Key, field string, to manifest.Key) bool
	// HasMistake reports whether the manifest of an object, or of the object that it would be a part of, has a mistake. Something that
	// such an object lacks is not reported as another mistake.
	HasMistake(key manifest.Key) bool
	// TakeObjects subtracts count objects from the revision's budget. TakeBody subtracts a body that count objects share. If they
	// return false, no further object may be added.
	TakeObjects(count int) bool
	TakeBody(body *manifest.Body, count int) bool
}

// Part is an object that an expansion added.
type Part struct {
	Key  manifest.Key
	Body *manifest.Body // nil for an object that exists already
	// Fallback is true if another object of the revision with the same key takes precedence over this part.
	Fallback bool
	// Hint is copied to [Import.Hint].
	Hint string
	// Presence sets [Desired.Spare] or [Desired.Scaled].
	Presence Presence
	// ID is copied to [OfDefinition.ID]. If a part with an ID has no body, the part's status is only shown with the expanded object.
	ID string
	// Labels and Annotations are the labels and annotations of a template. Template returns the place of a field in the template. All
	// are nil for a part that no template describes.
	Labels, Annotations map[string]string
	Template            func(field string) manifest.Origin
}

// Presence says when a part of an expansion exists.
type Presence int

// The values of Presence.
const (
	Always Presence = iota
	Spare           // exists while other members are interrupted
	Scaled          // exists while the group is scaled up to at least that many members
)

// NewExpansion starts the expansion of a desired object.
func NewExpansion(of *Desired, in Revision) *Expansion {
	return &Expansion{Repository: in, Key: of.Key, origin: of.Origin, options: &of.Options, revision: in}
}

// Expanded returns what the object expands into, or why it cannot be expanded.
func (e *Expansion) Expanded() (Expanded, error) { return e.result, e.err }

// SetRollout sets how the object's members are changed, and the probes that check whether they serve.
func (e *Expansion) SetRollout(s rollout.Strategy, probes []rollout.Probe) {
	e.result.Rollout, e.result.Probes = &s, probes
}

// Suspend makes all parts of the object stay unchanged, as if the object's annotation suspended them.
func (e *Expansion) Suspend() { e.result.Suspended = true }

// Public declares that no part of the object is secret, not even fields that are secret in other objects.
func (e *Expansion) Public() { e.result.Public = true }

// Child adds an object of another kind that is part of the workload. body is the document without apiVersion, kind and metadata.
func (e *Expansion) Child(kind, name string, body any) {
	e.Varied(kind, 1, func(int) string { return name }, []any{body}, func(int) int { return 0 }, Always)
}

// SparePrefix comes between a group's name and the number of a spare member. No other member has it in its name. So a spare member in
// the cloud is recognised even if the group no longer allows so many spare members.
const SparePrefix = "spare-"

// SpareName is the name of the spare member i of a group.
func SpareName(group string, i int) string { return fmt.Sprintf("%s-%s%d", group, SparePrefix, i) }

// Varied adds count objects as [Expansion.Child] does. For object i, name returns its name and which returns the index of its body in
// bodies.
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
	e.result.Parts = slices.Grow(e.result.Parts, count)
	for i := range count {
		e.result.Parts = append(e.result.Parts, Part{Key: e.revision.KeyOf(kind, name(i)), Body: made[which(i)], Presence: when})
	}
}

// Existing adds an import, unless the revision already has an object of that kind and name. hint tells people what to do if the
// object cannot be found; "" for the usual advice.
func (e *Expansion) Existing(kind, name string, body any, hint string) {
	key := e.revision.KeyOf(kind, name)
	if e.revision.Has(key) {
		e.result.Parts = append(e.result.Parts, Part{Key: key})
		return
	}
	if !e.revision.TakeObjects(1) {
		return
	}
	if made := e.body(body, 1); made != nil {
		e.result.Parts = append(e.result.Parts, Part{Key: key, Body: made, Fallback: true, Hint: hint})
	}
}

// body makes the document that count objects share. It returns nil if the budget is exceeded, or if from is no valid document.
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

// Missing reports that a field refers to an object which is not in the repository. The argument more is appended to the advice.
func (e *Expansion) Missing(field, kind, name, more string) {
	fix := "add a manifest for it, in namespace " + e.Key.Namespace
	if near := e.GuessName(kind, name); near != "" {
		fix = "did you mean " + near + "?"
	}
	e.Lacks(field, kind, name, fmt.Sprintf("refers to %s/%s, which is not in the repository", kind, name), fix+more)
}

// Lacks reports a problem with a field that refers to an object, because the object lacks something. If the object's own manifest has
// a mistake, only that mistake is reported.
func (e *Expansion) Lacks(field, kind, name, what, fix string) {
	if e.revision.HasMistake(e.revision.KeyOf(kind, name)) {
		e.result.Unsure = true
		return
	}
	e.Problem(field, what, fix)
}

// Way is the way that the object's annotation chooses for changes of a field; see [Options.Way].
func (e *Expansion) Way(field string) string { return e.options.Way(field) }

// Entrusted lets the steps of this object change a field of the object ofKind/ofName. The field is a reference to an object of kind.
// This object's annotation for the same path chooses the way. names are the objects of kind that the object refers to now. ok is
// false if the object does not exist so far, refers to no object of kind, or has an annotation about the field.
func (e *Expansion) Entrusted(ofKind, ofName, field, kind string) (names []string, ok bool) {
	key := e.revision.KeyOf(ofKind, ofName)
	names = e.MemberReferred(ofKind, ofName, kind)
	return names, len(names) > 0 && e.revision.Entrust(key, field, e.Key)
}

// Referred lists the names of the objects of a kind that the named object refers to, in the order of its manifest. ok is false when
// the repository itself does not declare the named object.
func (e *Expansion) Referred(byKind, byName, kind string) (names []string, ok bool) {
	if !e.Declares(byKind, byName) {
		return nil, false
	}
	return e.MemberReferred(byKind, byName, kind), true
}

// Shown reports whether the definition does not create the part, and only shows its status.
func (p Part) Shown() bool { return p.Body == nil && p.ID != "" }
