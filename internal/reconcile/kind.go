package reconcile

import (
	"context"
	"reflect"
	"slices"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Rules is the pure half of a kind: no I/O, no clock, no randomness.
type Rules[Spec, Filter, State any] interface {
	// Name is the name the object bears in the cloud.
	Name(want Want[Spec]) string
	// Validate says what field rules in struct tags cannot.
	Validate(spec *Spec, r *Report)
	// Diff reports every managed field of have that is not as wanted.
	Diff(want Want[Spec], have *State, c *Changes)
	// Match tells whether have satisfies an import filter.
	Match(want Want[Filter], have *State) bool
	// Status is the observed object in the kind's published vocabulary
	// (status.resource).
	Status(have *State) any
}

// Driver is the other half: it alone talks to the cloud. A method returns as
// soon as the cloud has accepted the request; the engine observes the rest.
type Driver[Spec, State any] interface {
	// List returns every object of the collection that the project can see, or
	// an error; never a part.
	List(ctx context.Context) ([]Live[*State], error)
	// Create makes the object. The mark MUST be in the first request that
	// makes anything, so that a kill at any moment leaves only what the next
	// List recognises.
	Create(ctx context.Context, want Want[Spec]) (Live[*State], error)
	// Update carries out changes, and writes the mark last.
	Update(ctx context.Context, want Want[Spec], have Live[*State], changes []Change) error
	// Delete removes the object. gone is true when the cloud has already
	// forgotten it.
	Delete(ctx context.Context, have Live[*State]) (gone bool, err error)
}

// Want is a desired object as rules and drivers see it.
type Want[Spec any] struct {
	Key  manifest.Key
	Spec *Spec
	// Mark is what the object in the cloud must bear.
	Mark    Mark
	lookup  func(manifest.Key) Ref
	groups  map[string]string
	prints  *fingerprint.Printer
	options *Options   // of the object; nil where nothing is asked of them
	holder  string     // of the object's secrets
	former  []identity // what it was called before
}

// identity is what an object, its owner text and the holder of its secrets are
// called.
type identity struct{ name, owner, holder string }

// OthersWrite tells whether a field is left to others, say the object's annotations:
// it is ignored, or changes are only reported.
func (w Want[Spec]) OthersWrite(field string) bool {
	return w.options != nil && w.options.leaves(field)
}

// WasCalled tells whether the object had that name before, says its manifest. What
// the cloud cannot rename keeps such a name.
func (w Want[Spec]) WasCalled(name string) bool {
	return slices.ContainsFunc(w.former, func(was identity) bool { return was.name == name })
}

// Ref resolves a reference by kind and name within the object's namespace.
func (w Want[Spec]) Ref(kind, name string) Ref {
	if name == "" {
		return Ref{}
	}
	key := manifest.Key{Group: w.groups[kind], Kind: kind, Namespace: w.Key.Namespace, Name: name}
	ref := Ref{}
	if w.lookup != nil {
		ref = w.lookup(key)
	}
	ref.Key, ref.Name = key, name
	return ref
}

// Report collects what is wrong with one spec, and what is accepted but not
// realised.
type Report struct {
	problems []fieldText
	more     int // problems that are only counted
	notes    []Note
}

type fieldText struct{ field, what, fix string }

// Note is something accepted in a manifest that has no effect, or a lesser one
// than its words promise.
type Note struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// mostOfOne is how many problems, and how many notes, one object can have.
const mostOfOne = 100

// Problem records what is wrong with field and how to mend it.
func (r *Report) Problem(field, what, fix string) {
	if len(r.problems) >= mostOfOne {
		r.more++
		return
	}
	r.problems = append(r.problems, fieldText{field, what, fix})
}

// Note records that field is accepted without being (fully) realised.
func (r *Report) Note(field, text string) {
	if len(r.notes) < mostOfOne {
		r.notes = append(r.notes, Note{field, text})
	}
}

// Expander is the optional third half of a workload kind: what its objects
// stand for. Expand returns bodies of other kinds and performs no I/O.
type Expander[Spec any] interface {
	Expand(spec *Spec, e *Expansion)
}

// Info names and describes a kind.
type Info struct {
	Group, Version, Kind string
	// Aliases are other groups under which the kind is accepted verbatim.
	Aliases []string
	// Service is the catalog type the kind needs, e.g. "compute"; "" for none.
	Service string
	// UniqueNames is true when the cloud refuses a second object of that name.
	UniqueNames bool
	// IDIsName is true when an object made anew under the same name has the
	// same ID, so that what refers to it need not follow.
	IDIsName bool
	// FixedMark is true when the cloud cannot rewrite the mark of an object:
	// then what was last applied is not recorded, and only the owner counts.
	FixedMark bool
	// Unmark is the command by which people take a mark off an object, for
	// messages; <id> and <mark> stand for the object and the owner text.
	Unmark string
	// ImportOnly is true when objects of the kind can be found but not made. They
	// are not looked for while no manifest asks for one.
	ImportOnly bool
	// Members is the kind of the objects that an object of this kind consists of, all
	// alike and able to stand in for each other; "" when it is no group.
	Members string
	// Public is true when the data that its objects carry may be shown. Without
	// it the data is kept out of every error.
	Public bool
	// Loss is what is lost with an object, besides its ID, when it is deleted or
	// replaced, the gravest first: for plans, to be read after "loses".
	Loss []string
	// Doc is one paragraph on what the kind is, for explain.
	Doc string
}

// Kind is a kind with its types erased: what [Resolve], [Make] and [Engine]
// work with. Values come from [Define], [DefineFlat], [DefineWorkload] and
// [DefineData].
type Kind interface {
	Info() Info
	// Body is the struct type of a document of this kind (its spec field and
	// siblings), for schema and explain.
	Body() reflect.Type

	decode(obj *manifest.Object) (Desired, []manifest.Problem)
	expand(d *Desired, e *Expansion)
	name(w Want[any]) string
	diff(w Want[any], have any) Changes
	match(w Want[any], have any) bool
	status(have any) any
	driver() erasedDriver
}

type erasedDriver interface {
	list(ctx context.Context) ([]Live[any], error)
	create(ctx context.Context, w Want[any]) (Live[any], error)
	update(ctx context.Context, w Want[any], have Live[any], changes []Change) error
	delete(ctx context.Context, have Live[any]) (bool, error)
	trace(ctx context.Context, have Live[any], changes []Change) (Trace, bool, error)
}
