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
	// Sharing is for objects of the network service that can be shared with single projects,
	// whose Spec has [Shares].
	Sharing  Sharing
	Odd      []table.Odd[Spec, More]
	Validate func(*Spec, *kind.Report)
	Expand   func(*Spec, *kind.Expansion)
	// Diff adds to what the fields report.
	Diff func(kind.Want[*Spec], *PlainState[Spec, More], *kind.Changes)
	// Takes says what an object counts as against quotas. References in the spec are names
	// of a manifest, or what the cloud shows.
	Takes func(*Spec, kind.FactsOf) kind.Amounts
	// Impossible says why the cloud will refuse to make an object, and Alone what only one can have; see [kind.Judge].
	Impossible func(kind.Want[*Spec]) string
	Alone      func(kind.Want[*Spec]) []kind.Claim
	// Zone is the availability zone that a manifest asks for; "" for none.
	Zone func(*Spec) string
	// PerHost is that of kind.Apart.
	PerHost func(*Spec) (n int, hard bool)
	// Name is what the object is looked up by among those of the cloud, which Observe
	// must give them too; nil for its name.
	Name func(w kind.Want[*Spec], name string) string
	// Match judges what the fields of the filter do not.
	Match func(*Filter, *PlainState[Spec, More]) bool
	// Show adds to what status shows, which the fields have put there already.
	Show func(*PlainState[Spec, More], table.Shown)
	// Addresses are those that people look for.
	Addresses func(*PlainState[Spec, More]) []string
	// Export corrects the spec of an object that is to be written as a manifest, which the
	// fields have filled in already, see [kind.Exporter].
	Export func(*PlainState[Spec, More], *Spec, *kind.Export)
	// Lists are the paths that together list the collection; nil for those that
	// Collection says.
	Lists func(context.Context, *PlainDriver[Spec, Filter, More]) ([]string, error)
	// All reads the whole collection, for services whose lists do not show what objects are
	// like; nil where a list does.
	All func(context.Context, *PlainDriver[Spec, Filter, More]) ([]*PlainState[Spec, More], error)
	// Join adds to the objects of a list what other collections say of them.
	Join func(context.Context, *PlainDriver[Spec, Filter, More], []*PlainState[Spec, More]) error
	// Observe says what else is known of an object: its phase, what it uses.
	Observe func(*PlainState[Spec, More], *kind.Live[*PlainState[Spec, More]])
	// Create, Update and Delete take the place of the driver's own, which they may use.
	Create func(context.Context, *PlainDriver[Spec, Filter, More], kind.Want[*Spec]) (*PlainState[Spec, More], error)
	Update func(context.Context, *PlainDriver[Spec, Filter, More], PlainChange[Spec, More]) error
	Delete func(context.Context, *PlainDriver[Spec, Filter, More], kind.Live[*PlainState[Spec, More]]) (gone bool, err error)
	// Unmark takes the mark off an object, where that is not written like other changes, or
	// more than the mark goes with it.
	Unmark func(context.Context, *PlainDriver[Spec, Filter, More], kind.Live[*PlainState[Spec, More]]) error
	// Trace says who made changes and when, see [kind.Tracer]; nil for the time at
	// which the object was last changed.
	Trace func(context.Context, *PlainDriver[Spec, Filter, More], kind.Live[*PlainState[Spec, More]], []kind.Change) (kind.Trace, bool, error)
}

// Collection says how a service is asked for the objects of a kind.
type Collection struct {
	// Path is that of the collection, in which objects have their ID: "volumes".
	Path string
	// Lists are the paths that together list it; nil for Path.
	Lists []string
	// Own lists what the user itself has, for imports on clouds that refuse to list all; "" where
	// everybody may, or nothing is left then.
	Own string
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
	// Address says that the attribute ID holds the address of the object, which ends in
	// its ID.
	Address bool
	// Project is the attribute that says which project an object is in; "" for none.
	Project string
	// Extension is what the network service must offer to have any; "" where all do.
	Extension string
	// Within is where each of the collections is found, one for each object of another
	// collection; nil for a collection that stands by itself.
	Within *Within
	// Secret says that requests which create and change carry secrets.
	Secret bool
}

// Within says that the collections of a kind are below the objects of another one:
// floatingips/<id>/port_forwardings. An object's ID is then that of the other one, a
// slash, and its own.
type Within struct {
	// Path is that of the other collection.
	Path string
	// Attribute is that in which Spec has the ID of the other object. The service has no
	// such attribute: it is the path.
	Attribute string
	// Find gives the IDs of those of the other objects that have any below them, and
	// the project of each; nil where one list has all, each with the attribute and its project.
	Find func(ctx context.Context, c *cloud.Client) (projects map[string]string, err error)
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
	Want    kind.Want[*Spec]
	Have    kind.Live[*PlainState[Spec, More]]
	Changes []kind.Change
	// Fields are the attributes to be written, without the mark.
	Fields map[string]any
}

// Plain makes the kind over c, which may be nil where only rules are needed.
func Plain[Spec, Filter, More any](c *cloud.Client, p PlainKind[Spec, Filter, More]) kind.Kind {
	fields := table.New(p.Odd...)
	return kind.Define(p.Info, &plainRules[Spec, Filter, More]{p, fields}, &PlainDriver[Spec, Filter, More]{c, p, fields})
}
