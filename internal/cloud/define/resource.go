package define

import (
	"cmp"
	"context"
	"path"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Resource describes a kind whose objects are made, changed and deleted by requests to one
// collection of a service. The driver and the rules follow its table of fields; the
// functions, each of which may be nil, add what is particular.
type Resource[Spec, Filter, More any] struct {
	Info       kind.Info
	Collection Collection
	// Mark is where objects bear the owner mark; zero for the labels that the network service's own resources have.
	Mark mark.Place
	// MarkInTags keeps the mark out of the description: for objects without a name by which they would still be found.
	MarkInTags bool
	// Sharing is for objects of the network service that can be shared with single projects,
	// whose Spec has [Shares].
	Sharing Sharing
	// OfAgent are the IDs of the objects that the agent itself logs in with, which are not deleted. It finds and uses them by
	// the attributes FoundBy, which are not changed. OfAgent is nil for a kind of which the agent uses none.
	OfAgent func(cloud.Login) []string
	FoundBy []string
	// Flat has the fields directly under spec. Such a kind cannot be imported, and status shows no more than its fields.
	Flat      bool
	Overrides []table.Override[Spec, More]
	Validate  func(*Spec, *kind.Report)
	Expand    func(*Spec, *kind.Expansion)
	// Diff adds to what the fields report.
	Diff func(typed.Want[Spec], *State[Spec, More], *kind.Changes)
	// Takes says what an object counts as against quotas. References in the spec are names
	// of a manifest, or what the cloud shows.
	Takes func(*Spec, kind.FactsOf) kind.Amounts
	// Besides says what an object counts as against quotas besides as one of its kind, with
	// more of an object that is there.
	Besides func(*Spec, *More) kind.Amounts
	// Impossible says why the cloud will refuse to make an object, Doubtful why it may, and ExclusiveClaims what only one can have; see
	// [kind.Kind].
	Impossible      func(typed.Want[Spec]) string
	Doubtful        func(typed.Want[Spec]) string
	ExclusiveClaims func(typed.Want[Spec]) []kind.Claim
	// Zone, Stated, PerHost and Cures are those of [kind.Kind].
	Zone    func(*Spec) string
	Stated  func(*Spec) kind.Facts
	PerHost func(*Spec) (n int, hard bool)
	Cures   []kind.Way
	// Name is what the object is looked up by among those of the cloud, which Observe
	// must give them too; nil for its name.
	Name func(w typed.Want[Spec], name string) string
	// Match judges what the fields of the filter do not.
	Match func(*Filter, *State[Spec, More]) bool
	// Show adds to what status shows, which the fields have put there already.
	Show func(*State[Spec, More], table.Shown)
	// Addresses are those that people look for.
	Addresses func(*State[Spec, More]) []string
	// Export corrects the spec of an object that is to be written as a manifest, which the
	// fields have filled in already, see [kind.Kind].
	Export func(*State[Spec, More], *Spec, *kind.Export)
	// Lists are the paths that together list the collection; nil for those that
	// Collection says.
	Lists func(context.Context, *Driver[Spec, Filter, More]) ([]string, error)
	// All reads the whole collection, for services whose lists do not show what objects are
	// like; nil where a list does.
	All func(context.Context, *Driver[Spec, Filter, More]) ([]*State[Spec, More], error)
	// Join adds to the objects of a list what other collections say of them.
	Join func(context.Context, *Driver[Spec, Filter, More], []*State[Spec, More]) error
	// Observe says what else is known of an object: its phase, what it uses.
	Observe func(*State[Spec, More], *kind.Live)
	// Create, Update and Delete take the place of the driver's own, which they may use.
	Create func(context.Context, *Driver[Spec, Filter, More], typed.Want[Spec]) (*State[Spec, More], error)
	Update func(context.Context, *Driver[Spec, Filter, More], Change[Spec, More]) error
	Delete func(context.Context, *Driver[Spec, Filter, More], typed.Live[State[Spec, More]]) (gone bool, err error)
	// Unmark takes the mark off an object, where that is not written like other changes, or
	// more than the mark goes with it.
	Unmark func(context.Context, *Driver[Spec, Filter, More], typed.Live[State[Spec, More]]) error
	// Trace says who made changes and when, see [kind.Driver].
	Trace func(context.Context, *Driver[Spec, Filter, More], typed.Live[State[Spec, More]], []kind.Change) (kind.Trace, bool, error)
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

// complete fills in what is left out.
func (c *Collection) complete() {
	c.ID, c.Field = cmp.Or(c.ID, "id"), cmp.Or(c.Field, c.Path)
	if c.Lists == nil {
		c.Lists = []string{c.Path}
	}
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

// State is an object as its service shows it. In Spec, the attributes that bear
// the mark are without it; Name and Standard have it.
type State[Spec, More any] struct {
	ID, Name string
	mark.Claim
	// Standard are the attributes of the network service's own resources; nil for objects of others.
	Standard *Standard
	table.Object[Spec, More]
}

// Change is a change of one object.
type Change[Spec, More any] struct {
	Want    typed.Want[Spec]
	Have    typed.Live[State[Spec, More]]
	Changes []kind.Change
	// Fields are the attributes to be written. [Driver.Write] adds the mark.
	Fields map[string]any
	// Now are the standard attributes as they are before Fields are written; nil where they are as Have says.
	Now *Standard
	// Raised says that other requests have changed the object meanwhile.
	Raised bool
}

// New makes the kind over c, which may be nil where only what manifests say is needed.
func New[Spec, Filter, More any](c *cloud.Client, r Resource[Spec, Filter, More]) *kind.Kind {
	d := r.driver(c)
	k := typed.Kind[Spec, Filter, State[Spec, More]]{
		Info: r.Info, Cures: r.Cures, Validate: d.validate, Expand: r.Expand, Name: d.name, Stated: r.Stated, Zone: r.Zone, PerHost: r.PerHost,
		Impossible: d.impossible, Doubtful: r.Doubtful, ExclusiveClaims: r.ExclusiveClaims, Diff: d.diff, Match: d.match, Status: d.status, Export: d.export,
		Takes: func(s *Spec, of kind.FactsOf) kind.Amounts { return d.counts(s, nil, of) },
		Holds: func(have *State[Spec, More], of kind.FactsOf) kind.Amounts {
			return d.counts(&have.Spec, &have.More, of)
		},
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}
	if isResident[Spec]() {
		k.Project = projectOf[Spec]
	}
	if r.PerHost != nil {
		k.PerHostOf = func(have *State[Spec, More]) (int, bool) { return r.PerHost(&have.Spec) }
	}
	if r.Trace != nil {
		k.Trace = func(ctx context.Context, have typed.Live[State[Spec, More]], changes []kind.Change) (kind.Trace, bool, error) {
			return r.Trace(ctx, d, have, changes)
		}
	}
	if r.Flat {
		return k.Flat()
	}
	return k.Resource()
}

// Neutron makes a kind of the network service's own resources. Collection says their path ("qos/policies"), what one is called
// in a body ("policy"), and the extension; the rest is the same for all.
func Neutron[Spec, Filter, More any](c *cloud.Client, r Resource[Spec, Filter, More]) *kind.Kind {
	r.Info.Group, r.Info.Version, r.Info.Service = cmp.Or(r.Info.Group, OrcGroup), "v1alpha1", cloud.Network
	// Lists and tags go by the last word of the path.
	r.Collection.Field, r.Collection.Project = strings.ReplaceAll(path.Base(r.Collection.Path), "-", "_"), "project_id"
	if r.Takes == nil {
		r.Takes = One[Spec](cloud.Network, r.Collection.Singular)
	}
	return New(c, r)
}
