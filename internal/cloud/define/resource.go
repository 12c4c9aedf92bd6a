package define

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Resource describes a kind whose objects are created, changed and deleted by requests to one collection of a service. The driver and
// the rules follow its table of fields. The functions, each of which may be nil, add the special parts.
type Resource[Spec, Filter, More any] struct {
	Info       kind.Info
	Collection Collection
	// Mark is the place of the owner mark on objects; zero for the labels (tags and description) of the network service's own resources.
	Mark mark.Place
	// MarkInTags says that the mark is never in the description. It is for objects that cannot be found by their name.
	MarkInTags bool
	// Sharing is for objects of the network service that can be shared with single projects, and whose Spec has [Shares].
	Sharing Sharing
	// OfAgent returns the IDs of the objects that the agent's own login depends on. These objects are not deleted. Their attributes in FoundBy
	// are not changed, because the agent finds the objects by them. OfAgent is nil for a kind on which no login depends.
	OfAgent func(cloud.Login) []string
	FoundBy []string
	// Flat is true if the fields are directly under spec. Such a kind cannot be imported, and status shows only its fields.
	Flat      bool
	Overrides []table.Override[Spec, More]
	Validate  func(*Spec, *kind.Report)
	Expand    func(*Spec, *kind.Expansion)
	// Diff adds changes to those that the fields report.
	Diff func(typed.Want[Spec], *State[Spec, More], *kind.Changes)
	// QuotaNeeded returns the amounts of quotas that an object uses. References in the spec are names of manifests, or IDs as the cloud shows
	// them.
	QuotaNeeded func(*Spec, kind.FactsOf) kind.Amounts
	// Besides returns the amounts of quotas that an object uses in addition to QuotaNeeded. more is nil for a desired object.
	Besides func(*Spec, *More) kind.Amounts
	// Impossible says why the cloud will refuse to create an object, LikelyRefusal why it may, and ExclusiveClaims lists values that only
	// one object can have; see [kind.Kind].
	Impossible      func(typed.Want[Spec]) string
	LikelyRefusal   func(typed.Want[Spec]) string
	ExclusiveClaims func(typed.Want[Spec]) []kind.Claim
	// Zone, Stated, PerHost and Cures have the same meaning as in [kind.Kind].
	Zone    func(*Spec) string
	Stated  func(*Spec) kind.Facts
	PerHost func(*Spec) (n int, hard bool)
	Cures   []kind.Way
	// Name returns the text by which a desired object is found in the cloud. Observe must set the same text as the Name of an object of
	// the cloud. If Name is nil, objects are found by their name.
	Name func(w typed.Want[Spec], name string) string
	// Match compares those fields of the filter that the table does not compare.
	Match func(*Filter, *State[Spec, More]) bool
	// Show adds values to the status, which already contains the fields.
	Show func(*State[Spec, More], table.Shown)
	// Addresses are the addresses by which people find the object.
	Addresses func(*State[Spec, More]) []string
	// Export corrects the spec of an exported manifest, which already contains the fields (see [kind.Kind]).
	Export func(*State[Spec, More], *Spec, *kind.Export)
	// Lists are the paths that together list the collection; nil for those in Collection.
	Lists func(context.Context, *Driver[Spec, Filter, More]) ([]string, error)
	// All reads the whole collection, for services whose lists do not show the attributes of objects; nil if a list shows them.
	All func(context.Context, *Driver[Spec, Filter, More]) ([]*State[Spec, More], error)
	// Join adds data from other collections to the objects of a list.
	Join func(context.Context, *Driver[Spec, Filter, More], []*State[Spec, More]) error
	// Observe adds further data about an object: its phase, what it uses. PerStack says that these depend on more than the attributes in the
	// list and the login, so that stacks cannot share the objects.
	Observe  func(*State[Spec, More], *kind.Live)
	PerStack bool
	// Create, Update and Delete replace the driver's own requests. They may call the driver's methods.
	Create func(context.Context, *Driver[Spec, Filter, More], typed.Want[Spec]) (*State[Spec, More], error)
	Update func(context.Context, *Driver[Spec, Filter, More], Change[Spec, More]) error
	Delete func(context.Context, *Driver[Spec, Filter, More], typed.Live[State[Spec, More]]) (gone bool, err error)
	// Unmark removes the mark from an object. It is for marks that are not written like other changes, and for kinds that remove more
	// than the mark.
	Unmark func(context.Context, *Driver[Spec, Filter, More], typed.Live[State[Spec, More]]) error
	// Trace returns who made changes and when, see [kind.Driver].
	Trace func(context.Context, *Driver[Spec, Filter, More], typed.Live[State[Spec, More]], []kind.Change) (kind.Trace, bool, error)
}

// Collection describes the requests for the objects of a kind.
type Collection struct {
	// Path is the path of the collection: "volumes". The path of an object is this path and the object's ID.
	Path string
	// Lists are the paths that together list it; nil for Path.
	Lists []string
	// Own is the path of a list of the user's own objects, for imports on clouds that refuse to list all objects. It is "" if everybody
	// may list all, or if that list would be empty.
	Own string
	// Field is the name of the list in answers; "" for Path.
	Field string
	// Singular is the name of one object in bodies: "volume"; "" if a body is the object itself.
	Singular string
	// Microversion is the newest microversion for which lists and create requests are known, for clouds that have it; "" if the service
	// has none.
	Microversion string
	// UpdateBy is the HTTP method of updates.
	UpdateBy string
	// ID is the attribute whose value is in the path of an object; "" for "id".
	ID string
	// Address says that the attribute ID contains the address of the object, which ends with its ID.
	Address bool
	// Project is the attribute with the project of an object; "" if there is none.
	Project string
	// Extension is the extension that the network service needs for the collection; "" if there is none.
	Extension string
	// Within describes the parent collection if this collection is below each object of it, such as floatingips/<id>/port_forwardings; nil otherwise.
	Within *Within
	// Secret says that create requests and updates carry secrets.
	Secret bool
}

// complete fills in the defaults.
func (c *Collection) complete() {
	c.ID, c.Field = cmp.Or(c.ID, "id"), cmp.Or(c.Field, c.Path)
	if c.Lists == nil {
		c.Lists = []string{c.Path}
	}
}

// Within says that the collections of a kind are below the objects of another collection: floatingips/<id>/port_forwardings. The ID of
// an object is then the ID of the parent, a slash, and its own ID.
type Within struct {
	// Path is the path of the other collection.
	Path string
	// Attribute is the attribute of Spec that contains the ID of the parent. The service has no such attribute: the ID is in the path.
	Attribute string
	// Find returns the IDs of the parents that have any objects, and the project of each. It is nil if one list has all objects, each
	// with the attribute and its project.
	Find func(ctx context.Context, c *cloud.Client) (projects map[string]string, err error)
}

// State is an object as its service shows it. The attributes in Spec do not contain the mark; Name and Standard may contain it.
type State[Spec, More any] struct {
	ID, Name string
	mark.Claim
	// Standard are the attributes of the network service's own resources; nil for objects of other services.
	Standard *Standard
	table.Object[Spec, More]
}

// OwnedBy returns the ID of the project that owns the object; "" if More does not have it.
func (s *State[Spec, More]) OwnedBy() string {
	if of, ok := any(&s.More).(interface{ OwnedBy() string }); ok {
		return of.OwnedBy()
	}
	return ""
}

// Change is a change of one object.
type Change[Spec, More any] struct {
	Want    typed.Want[Spec]
	Have    typed.Live[State[Spec, More]]
	Changes []kind.Change
	// Fields are the attributes to write, without the labels of a Neutron object. [Driver.Write] adds the mark, and those labels.
	Fields map[string]any
	// Now are the present standard attributes; nil if they are the same as in Have. A write with a mark in the tags or the description sets
	// them to what it has written.
	Now *Standard
	// Raised is true if the agent's own requests have changed the object since Have was read, so that its revision is unknown. The
	// driver sets it, and so does a kind that sends requests of its own; a kind whose Update has read the object again sets Now and resets it.
	Raised bool
}

// New makes the kind, which sends its requests with c. c may be nil if only the rules for manifests are needed.
func New[Spec, Filter, More any](c *cloud.Client, r Resource[Spec, Filter, More]) *kind.Kind {
	if r.Info.Lists == nil {
		r.Info.Lists = r.lists()
	}
	r.Info.Joins = append(r.Info.Joins, r.joins()...)
	d := r.driver(c)
	k := typed.Kind[Spec, Filter, State[Spec, More]]{
		Info: r.Info, Cures: r.Cures, Validate: d.validate, Expand: r.Expand, Name: d.name, Stated: r.Stated, Zone: r.Zone, PerHost: r.PerHost,
		Impossible: d.impossible, LikelyRefusal: r.LikelyRefusal, ExclusiveClaims: r.ExclusiveClaims, Diff: d.diff, Match: d.match, Status: d.status, Export: d.export,
		QuotaNeeded: func(s *Spec, of kind.FactsOf) kind.Amounts { return d.counts(s, nil, of) },
		QuotaUsed: func(have *State[Spec, More], of kind.FactsOf) kind.Amounts {
			return d.counts(&have.Spec, &have.More, of)
		},
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}
	if d.sharesObjects() {
		k.Shared = d.objects
	}
	if isResident[Spec]() {
		k.Project = projectOf[Spec]
	}
	if r.Sharing.Type != "" {
		k.Joins = joinsShares[Spec]
	}
	if r.PerHost != nil {
		k.PerHostOf = func(have *State[Spec, More]) (int, bool) { return d.of.PerHost(&have.Spec) }
	}
	if r.Trace != nil {
		k.Trace = func(ctx context.Context, have typed.Live[State[Spec, More]], changes []kind.Change) (kind.Trace, bool, error) {
			return d.of.Trace(ctx, d, have, changes)
		}
	}
	if r.Flat {
		return k.Flat()
	}
	return k.Resource()
}

// lists returns the collections that have the objects of the kind (see [kind.Info.Lists]).
func (r Resource[Spec, Filter, More]) lists() (list []string) {
	paths := r.Collection.Lists
	if paths == nil {
		paths = []string{r.Collection.Path}
	}
	for _, p := range paths {
		p, _, _ = strings.Cut(p, "?")
		if name := r.Info.Service + "/" + strings.TrimSuffix(p, "/detail"); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// joins returns the collections from which the driver itself adds data to the objects of the kind (see [kind.Info.Joins]).
func (r Resource[Spec, Filter, More]) joins() (list []string) {
	if r.Collection.Within != nil {
		list = append(list, r.Info.Service+"/"+r.Collection.Within.Path)
	}
	if r.Sharing.Type != "" {
		list = append(list, sharesList)
	}
	return list
}

// Neutron makes a kind of the network service's own resources. Collection has their path ("qos/policies"), the name of one object in a
// body ("policy"), and the extension. Neutron sets its fields Field and Project. The mark is in the labels, because [Resource.Mark]
// is zero.
func Neutron[Spec, Filter, More any](c *cloud.Client, r Resource[Spec, Filter, More]) *kind.Kind {
	r.Info.Group, r.Info.Version, r.Info.Service = cmp.Or(r.Info.Group, OrcGroup), "v1alpha1", cloud.Network
	// Lists and tags use the last part of the path.
	r.Collection.Field, r.Collection.Project = strings.ReplaceAll(path.Base(r.Collection.Path), "-", "_"), "project_id"
	if r.QuotaNeeded == nil {
		r.QuotaNeeded = One[Spec](cloud.Network, r.Collection.Singular)
	}
	return New(c, r)
}
