package define

import (
	"cmp"
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// NeutronKind is a kind of the network service. All that its table says is done by
// [Neutron]; the functions, each of which may be nil, do what is particular.
type NeutronKind[Spec, Filter, More any] struct {
	Info     kind.Info // but Version and Service, which all have in common; K-ORC's Group if left out
	Resource NeutronResource
	Odd      []table.Odd[Spec, More]
	// MarkInTags keeps the mark out of the description: for what has no name by which it
	// would still be found.
	MarkInTags bool
	Validate   func(*Spec, *kind.Report)
	// Impossible and Alone are those of [kind.Judge].
	Impossible func(kind.Want[*Spec]) string
	Alone      func(kind.Want[*Spec]) []kind.Claim
	// Stated is that of [kind.Stater].
	Stated func(*Spec) kind.Facts
	// Besides says what an object counts as against quotas besides as one of its kind, with
	// more of an object that is there.
	Besides func(*Spec, *More) kind.Amounts
	Expand  func(*Spec, *kind.Expansion)
	// Observe says what else is known of an object: its phase, what it uses.
	Observe func(*NeutronState[Spec, More], *kind.Live[*NeutronState[Spec, More]])
	// Show adds to what status shows, which the fields have put there already.
	Show func(*NeutronState[Spec, More], table.Shown)
	// Addresses are those that people look for.
	Addresses func(*NeutronState[Spec, More]) []string
	// Export corrects the spec of an object that is to be written as a manifest, which the
	// fields have filled in already, see [kind.Exporter].
	Export func(*NeutronState[Spec, More], *Spec, *kind.Export)
	// List, Create, Update and Delete take the place of the driver's own, which they may
	// use.
	List   func(context.Context, *NeutronDriver[Spec, Filter, More]) ([]NeutronState[Spec, More], error)
	Create func(context.Context, *NeutronDriver[Spec, Filter, More], kind.Want[*Spec]) (*NeutronState[Spec, More], error)
	Update func(context.Context, *NeutronDriver[Spec, Filter, More], NeutronChange[Spec, More]) error
	Delete func(context.Context, *NeutronDriver[Spec, Filter, More], kind.Live[*NeutronState[Spec, More]]) (gone bool, err error)
}

// NeutronChange is a change of one object.
type NeutronChange[Spec, More any] struct {
	Want    kind.Want[*Spec]
	Have    kind.Live[*NeutronState[Spec, More]]
	Changes []kind.Change
	// Fields are the attributes to be written.
	Fields map[string]any
}

// Neutron makes the kind over c, which may be nil where only rules are needed.
func Neutron[Spec, Filter, More any](c *cloud.Client, n NeutronKind[Spec, Filter, More]) kind.Kind {
	fields := table.New(n.Odd...)
	return kind.Define(n.info(), &neutronRules[Spec, Filter, More]{n, fields}, n.driver(c, fields))
}

// NeutronFlat makes a kind whose fields stand directly under spec: it cannot be
// imported, has no name of its own, and status shows no more than its fields.
func NeutronFlat[Spec, More any](c *cloud.Client, n NeutronKind[Spec, struct{}, More]) kind.Kind {
	fields := table.NewFlat(n.Odd...)
	return kind.DefineFlat(n.info(), &flatRules[Spec, More]{neutronRules[Spec, struct{}, More]{n, fields}}, n.driver(c, fields))
}

func (n NeutronKind[Spec, Filter, More]) info() kind.Info {
	n.Info.Group, n.Info.Version, n.Info.Service = cmp.Or(n.Info.Group, OrcGroup), "v1alpha1", cloud.Network
	return n.Info
}

func (n NeutronKind[Spec, Filter, More]) driver(c *cloud.Client, fields *table.Table[Spec, More]) *NeutronDriver[Spec, Filter, More] {
	return &NeutronDriver[Spec, Filter, More]{neutron{c, n.Resource, fields.Extensions()}, n, fields}
}
