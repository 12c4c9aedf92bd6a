package define

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// PlainKind is a kind of a service whose objects are made, changed and deleted by
// requests to one collection. All that its table says is done by [Plain]; the
// functions, each of which may be nil, do what is particular.
type PlainKind[Spec, Filter, More any] struct {
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
	Join func(context.Context, PlainDriver[Spec, Filter, More], []*PlainState[Spec, More]) error
	// Observe says what else is known of an object: its phase, what it uses.
	Observe func(*PlainState[Spec, More], *kind.Live[*PlainState[Spec, More]])
	// Create, Update and Delete take the place of the driver's own, which they may use.
	Create func(context.Context, PlainDriver[Spec, Filter, More], kind.Want[Spec]) (*PlainState[Spec, More], error)
	Update func(context.Context, PlainDriver[Spec, Filter, More], PlainChange[Spec, More]) error
	Delete func(context.Context, PlainDriver[Spec, Filter, More], kind.Live[*PlainState[Spec, More]]) (gone bool, err error)
	// Trace says who made changes and when, see [kind.Tracer]; nil for the time at
	// which the object was last changed.
	Trace func(context.Context, PlainDriver[Spec, Filter, More], kind.Live[*PlainState[Spec, More]], []kind.Change) (kind.Trace, bool, error)
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

// PlainChange is a change of one object.
type PlainChange[Spec, More any] struct {
	Want    kind.Want[Spec]
	Have    kind.Live[*PlainState[Spec, More]]
	Changes []kind.Change
	// Fields are the attributes to be written, without the mark.
	Fields map[string]any
}

// Plain makes the kind over c, which may be nil where only rules are needed.
func Plain[Spec, Filter, More any](c *cloud.Client, p PlainKind[Spec, Filter, More]) kind.Kind {
	fields := table.New(p.Odd...)
	return kind.Define(p.Info, plainRules[Spec, Filter, More]{p, fields}, PlainDriver[Spec, Filter, More]{c, p, fields})
}
