package cloud

import (
	"context"
	"encoding/json"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Neutron is a kind of the network service. All that its table says is done by
// [DefineNeutron]; the functions, each of which may be nil, do what is particular.
type Neutron[Spec, Filter, More any] struct {
	Info     kind.Info // without Group, Version and Service
	Resource NeutronKind
	Odd      []table.Odd[Spec, More]
	// MarkInTags keeps the mark out of the description: for what has no name by which it
	// would still be found.
	MarkInTags bool
	Validate   func(*Spec, *kind.Report)
	Expand     func(*Spec, *kind.Expansion)
	// Observe says what else is known of an object: its phase, what it uses.
	Observe func(*NeutronState[Spec, More], *kind.Live[*NeutronState[Spec, More]])
	// Show adds to what status shows, which the fields have put there already.
	Show func(*NeutronState[Spec, More], table.Shown)
	// Addresses are those that people look for.
	Addresses func(*NeutronState[Spec, More]) []string
	// List, Create, Update and Delete take the place of the driver's own, which they may
	// use.
	List   func(context.Context, NeutronDriver[Spec, More]) ([]NeutronState[Spec, More], error)
	Create func(context.Context, NeutronDriver[Spec, More], kind.Want[Spec]) (*NeutronState[Spec, More], error)
	Update func(context.Context, NeutronDriver[Spec, More], NeutronChange[Spec, More]) error
	Delete func(context.Context, NeutronDriver[Spec, More], kind.Live[*NeutronState[Spec, More]]) (gone bool, err error)
}

// NeutronChange is a change of one object.
type NeutronChange[Spec, More any] struct {
	Want    kind.Want[Spec]
	Have    kind.Live[*NeutronState[Spec, More]]
	Changes []kind.Change
	// Fields are the attributes to be written.
	Fields map[string]any
}

// NeutronState is an object as Neutron shows it.
type NeutronState[Spec, More any] struct {
	NeutronBase
	table.Object[Spec, More]
}

// UnmarshalJSON reads an answer. In Spec, description and tags are without the mark.
func (s *NeutronState[Spec, More]) UnmarshalJSON(text []byte) error {
	var answer table.Attributes
	if err := json.Unmarshal(text, &s.NeutronBase); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer == nil { // null is no object
		return err
	}
	for name, own := range map[string]any{"description": s.Description(), "tags": s.UserTags()} {
		value, err := json.Marshal(own)
		if err != nil {
			return err
		}
		answer[name] = value
	}
	return s.Read(answer)
}

// DefineNeutron makes the kind over c, which may be nil where only rules are needed.
func DefineNeutron[Spec, Filter, More any](c *Client, n Neutron[Spec, Filter, More]) kind.Kind {
	fields := table.New(n.Odd...)
	rules := n.rules(fields)
	rules.show = func(s *NeutronState[Spec, More], shown table.Shown) {
		s.showBase(shown)
		if n.Show != nil {
			n.Show(s, shown)
		}
	}
	return kind.Define[Spec, Filter, NeutronState[Spec, More]](n.info(), rules, n.driver(c, fields))
}

// DefineNeutronFlat makes a kind whose fields stand directly under spec: it cannot be
// imported, has no name of its own, and status shows no more than its fields.
func DefineNeutronFlat[Spec, More any](c *Client, n Neutron[Spec, struct{}, More]) kind.Kind {
	fields := table.NewFlat(n.Odd...)
	return kind.DefineFlat[Spec, NeutronState[Spec, More]](n.info(), flatRules[Spec, More]{n.rules(fields)}, n.driver(c, fields))
}

func (n Neutron[Spec, Filter, More]) rules(fields *table.Table[Spec, More]) tableRules[Spec, Filter, More, NeutronState[Spec, More]] {
	return tableRules[Spec, Filter, More, NeutronState[Spec, More]]{fields: fields, object: (*NeutronState[Spec, More]).object,
		validate: n.Validate, expand: n.Expand, diff: noteProject[Spec, More], match: matchLabels[Filter, Spec, More], show: n.Show, addresses: n.Addresses}
}

func (n Neutron[Spec, Filter, More]) info() kind.Info {
	n.Info.Group, n.Info.Version, n.Info.Service = OrcGroup, "v1alpha1", Network
	return n.Info
}

func (n Neutron[Spec, Filter, More]) driver(c *Client, fields *table.Table[Spec, More]) NeutronDriver[Spec, More] {
	return NeutronDriver[Spec, More]{Client: c, Resource: n.Resource, fields: fields, markInTags: n.MarkInTags,
		observe: n.Observe, list: n.List, create: n.Create, update: n.Update, remove: n.Delete}
}

func (s *NeutronState[Spec, More]) object() *table.Object[Spec, More] { return &s.Object }

func noteProject[Spec, More any](w kind.Want[Spec], have *NeutronState[Spec, More], c *kind.Changes) {
	if in, ok := any(w.Spec).(inProject); ok {
		in.Diff(have.ProjectID, w.Ref, c)
	}
}

func matchLabels[Filter, Spec, More any](w kind.Want[Filter], have *NeutronState[Spec, More]) bool {
	if f, ok := any(w.Spec).(projectFilter); ok && !f.MatchProject(have.ProjectID, w.Ref) {
		return false
	}
	f, ok := any(w.Spec).(tagFilter)
	return !ok || f.MatchTags(have.UserTags())
}

// showBase puts what status shows of every object of Neutron's.
func (s *NeutronState[Spec, More]) showBase(shown table.Shown) {
	shown["projectID"], shown["revisionNumber"] = s.ProjectID, s.Revision
	for name, at := range map[string]string{"createdAt": Timestamp(s.CreatedAt), "updatedAt": Timestamp(s.UpdatedAt)} {
		if at != "" {
			shown[name] = at
		}
	}
}

type flatRules[Spec, More any] struct {
	tableRules[Spec, struct{}, More, NeutronState[Spec, More]]
}

func (flatRules[Spec, More]) Name(w kind.Want[Spec]) string { return w.Key.Name }

func (flatRules[Spec, More]) Match(kind.Want[struct{}], *NeutronState[Spec, More]) bool {
	return false
}

// inProject, projectFilter and tagFilter are what [ProjectRef], [ProjectFilter] and
// [TagFilter] give to a spec or filter that they are embedded in.
type (
	inProject interface {
		Check(*Client, func(kind, name string) kind.Ref) error
		Diff(projectID string, lookup func(kind, name string) kind.Ref, c *kind.Changes)
	}
	projectFilter interface {
		MatchProject(projectID string, lookup func(kind, name string) kind.Ref) bool
	}
	tagFilter interface{ MatchTags(tags []string) bool }
)
