package cloud

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Plain is a kind of a service whose objects are made, changed and deleted by
// requests to one collection. All that its table says is done by [DefinePlain]; the
// functions, each of which may be nil, do what is particular.
type Plain[Spec, Filter, More any] struct {
	Info       kind.Info
	Collection Collection
	Mark       mark.Place
	Odd        []table.Odd[Spec, More]
	Validate   func(*Spec, *kind.Report)
	Expand     func(*Spec, *kind.Expansion)
	// Diff adds to what the fields report.
	Diff func(kind.Want[Spec], *PlainState[Spec, More], *kind.Changes)
	// Match judges what the fields of the filter do not.
	Match func(*Filter, *PlainState[Spec, More]) bool
	// Show adds to what status shows, which the fields have put there already.
	Show func(*PlainState[Spec, More], table.Shown)
	// Addresses are those that people look for.
	Addresses func(*PlainState[Spec, More]) []string
	// Join adds to the objects of a list what other collections say of them.
	Join func(context.Context, PlainDriver[Spec, More], []*PlainState[Spec, More]) error
	// Observe says what else is known of an object: its phase, what it uses.
	Observe func(*PlainState[Spec, More], *kind.Live[*PlainState[Spec, More]])
	// Create, Update and Delete take the place of the driver's own, which they may use.
	Create func(context.Context, PlainDriver[Spec, More], kind.Want[Spec]) (*PlainState[Spec, More], error)
	Update func(context.Context, PlainDriver[Spec, More], PlainChange[Spec, More]) error
	Delete func(context.Context, PlainDriver[Spec, More], kind.Live[*PlainState[Spec, More]]) (gone bool, err error)
	// Trace says who made changes and when, see [kind.Tracer]; nil for the time at
	// which the object was last changed.
	Trace func(context.Context, PlainDriver[Spec, More], kind.Live[*PlainState[Spec, More]], []kind.Change) (kind.Trace, bool, error)
}

// Collection says how a service is asked for the objects of a kind.
type Collection struct {
	// Path is that of the collection, in which objects have their ID: "volumes".
	Path string
	// Lists are the paths that together list it; nil for Path.
	Lists []string
	// Field is the name of the list in answers; "" for Path.
	Field string
	// Singular is the name of one object in bodies: "volume"; "" where a body is the
	// object itself.
	Singular string
	// Microversion is the newest that lists and creations are known of, for clouds
	// that have it; "" where the service has none.
	Microversion string
	// UpdateBy is the method that changes objects.
	UpdateBy string
	// ID is the attribute by which objects are addressed; "" for "id".
	ID string
	// Project is the attribute that says which project an object is in; "" for none.
	Project string
}

// PlainState is an object as its service shows it. In Spec, the attribute that bears
// the mark is without it; Name has it.
type PlainState[Spec, More any] struct {
	ID, Name string
	mark.Claim
	table.Object[Spec, More]
}

func (s *PlainState[Spec, More]) object() *table.Object[Spec, More] { return &s.Object }

// PlainChange is a change of one object.
type PlainChange[Spec, More any] struct {
	Want    kind.Want[Spec]
	Have    kind.Live[*PlainState[Spec, More]]
	Changes []kind.Change
	// Fields are the attributes to be written, without the mark.
	Fields map[string]any
}

// DefinePlain makes the kind over c, which may be nil where only rules are needed.
func DefinePlain[Spec, Filter, More any](c *Client, p Plain[Spec, Filter, More]) kind.Kind {
	fields := table.New(p.Odd...)
	rules := tableRules[Spec, Filter, More, PlainState[Spec, More]]{fields: fields, object: (*PlainState[Spec, More]).object,
		name: p.Mark.Name, validate: p.Validate, expand: p.Expand, diff: p.Diff, show: p.Show, addresses: p.Addresses}
	if p.Match != nil {
		rules.match = func(w kind.Want[Filter], s *PlainState[Spec, More]) bool { return p.Match(w.Spec, s) }
	}
	d := PlainDriver[Spec, More]{Client: c, Collection: p.Collection, service: p.Info.Service, mark: p.Mark, fields: fields,
		join: p.Join, observe: p.Observe, create: p.Create, update: p.Update, remove: p.Delete, trace: p.Trace, importOnly: p.Info.ImportOnly}
	return kind.Define[Spec, Filter, PlainState[Spec, More]](p.Info, rules, d)
}

// Import is a kind of which objects can be found but not made: an administrator or
// another tool makes them. Its Spec is known so that a manifest that asks for one is
// refused with the right words.
type Import[Spec, Filter, More any] struct {
	Info       kind.Info
	Collection Collection
	// Making is what such a manifest asks for, "a flavor to be made", and Instead what
	// people do: "let an administrator make it".
	Making, Instead string
	Match           func(*Filter, *PlainState[Spec, More]) bool
	Observe         func(*PlainState[Spec, More], *kind.Live[*PlainState[Spec, More]])
}

// DefineImport makes the kind over c, which may be nil where only rules are needed.
func DefineImport[Spec, Filter, More any](c *Client, i Import[Spec, Filter, More]) kind.Kind {
	i.Info.ImportOnly = true
	return DefinePlain(c, Plain[Spec, Filter, More]{
		Info: i.Info, Collection: i.Collection, Match: i.Match,
		Validate: func(_ *Spec, r *kind.Report) {
			r.Problem("spec.resource", "asks for "+i.Making+", which is not supported",
				i.Instead+", and set managementPolicy: unmanaged with spec.import.filter.name")
		},
		Observe: func(s *PlainState[Spec, More], live *kind.Live[*PlainState[Spec, More]]) {
			live.Facts = kind.Facts{Name: s.Name}
			if i.Observe != nil {
				i.Observe(s, live)
			}
		},
	})
}
