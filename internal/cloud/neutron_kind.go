package cloud

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Neutron is a kind of the network service. All that its table says is done by
// [DefineNeutron]; the functions, each of which may be nil, do what is particular.
type Neutron[Spec, Filter, More any] struct {
	Info     kind.Info
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
	// Create, Update and Delete take the place of the driver's own, which they may use.
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
	d := NeutronDriver[Spec, More]{Client: c, Resource: n.Resource, fields: fields, markInTags: n.MarkInTags,
		observe: n.Observe, create: n.Create, update: n.Update, remove: n.Delete}
	return kind.Define[Spec, Filter, NeutronState[Spec, More]](n.Info, neutronRules[Spec, Filter, More]{fields, n}, d)
}

type neutronRules[Spec, Filter, More any] struct {
	fields *table.Table[Spec, More]
	n      Neutron[Spec, Filter, More]
}

func (r neutronRules[Spec, Filter, More]) Name(w kind.Want[Spec]) string {
	return r.fields.Name(w)
}

func (r neutronRules[Spec, Filter, More]) Validate(s *Spec, report *kind.Report) {
	if r.n.Validate != nil {
		r.n.Validate(s, report)
	}
}

func (r neutronRules[Spec, Filter, More]) Expand(s *Spec, e *kind.Expansion) {
	if r.n.Expand != nil {
		r.n.Expand(s, e)
	}
}

func (r neutronRules[Spec, Filter, More]) Diff(w kind.Want[Spec], have *NeutronState[Spec, More], c *kind.Changes) {
	if in, ok := any(w.Spec).(inProject); ok {
		in.Diff(have.ProjectID, w.Ref, c)
	}
	r.fields.Compare(w, &have.Object, c)
}

func (r neutronRules[Spec, Filter, More]) Match(w kind.Want[Filter], have *NeutronState[Spec, More]) bool {
	if f, ok := any(w.Spec).(projectFilter); ok && !f.MatchProject(have.ProjectID, w.Ref) {
		return false
	}
	if f, ok := any(w.Spec).(tagFilter); ok && !f.MatchTags(have.UserTags()) {
		return false
	}
	return have.Match(w.Spec, w.Ref)
}

func (r neutronRules[Spec, Filter, More]) Status(s *NeutronState[Spec, More]) any {
	shown := table.Shown{"projectID": s.ProjectID, "revisionNumber": s.Revision}
	for name, at := range map[string]string{"createdAt": Timestamp(s.CreatedAt), "updatedAt": Timestamp(s.UpdatedAt)} {
		if at != "" {
			shown[name] = at
		}
	}
	table.Show(&s.Spec, shown)
	table.Show(&s.More, shown)
	if r.n.Show != nil {
		r.n.Show(s, shown)
	}
	if r.n.Addresses != nil {
		return shown.At(r.n.Addresses(s))
	}
	return shown
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

// NeutronDriver is the driver of a kind of the network service.
type NeutronDriver[Spec, More any] struct {
	Client     *Client
	Resource   NeutronKind
	fields     *table.Table[Spec, More]
	markInTags bool
	observe    func(*NeutronState[Spec, More], *kind.Live[*NeutronState[Spec, More]])
	create     func(context.Context, NeutronDriver[Spec, More], kind.Want[Spec]) (*NeutronState[Spec, More], error)
	update     func(context.Context, NeutronDriver[Spec, More], NeutronChange[Spec, More]) error
	remove     func(context.Context, NeutronDriver[Spec, More], kind.Live[*NeutronState[Spec, More]]) (bool, error)
}

func (d NeutronDriver[Spec, More]) live(s *NeutronState[Spec, More]) kind.Live[*NeutronState[Spec, More]] {
	live := Live(d.Client, s.NeutronBase, s)
	if d.observe != nil {
		d.observe(s, &live)
	}
	return live
}

// List also returns the objects of others that the project can use: imports look for
// shared ones.
func (d NeutronDriver[Spec, More]) List(ctx context.Context) ([]kind.Live[*NeutronState[Spec, More]], error) {
	return ListLive(ctx, d.Client, d.Resource, "", d.live)
}

// Create makes the object in the project that the client works in, and in no other.
func (d NeutronDriver[Spec, More]) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*NeutronState[Spec, More]], error) {
	if in, ok := any(w.Spec).(inProject); ok {
		if err := in.Check(d.Client, w.Ref); err != nil {
			return kind.Live[*NeutronState[Spec, More]]{}, err
		}
	}
	create := d.create
	if create == nil {
		create = func(ctx context.Context, d NeutronDriver[Spec, More], w kind.Want[Spec]) (*NeutronState[Spec, More], error) {
			return CreateNeutron[NeutronState[Spec, More]](ctx, d.Client, d.Resource, d.Creation(w), w.Mark, d.Labels(w))
		}
	}
	made, err := create(ctx, d, w)
	if err != nil {
		return kind.Live[*NeutronState[Spec, More]]{}, err
	}
	return d.live(made), nil
}

// Update carries out changes.
func (d NeutronDriver[Spec, More]) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*NeutronState[Spec, More]], changes []kind.Change) error {
	change := NeutronChange[Spec, More]{w, have, changes, d.fields.Update(w, &have.State.Object, changes)}
	withoutLabels(change.Fields)
	if d.update != nil {
		return d.update(ctx, d, change)
	}
	return d.Write(ctx, have.State.NeutronBase, change)
}

// Write carries out a change of an object as it is now, and writes the mark.
func (d NeutronDriver[Spec, More]) Write(ctx context.Context, now NeutronBase, n NeutronChange[Spec, More]) error {
	return UpdateNeutron(ctx, d.Client, d.Resource, now, n.Changes, n.Fields, n.Want.Mark, d.Labels(n.Want))
}

// Delete deletes the object.
func (d NeutronDriver[Spec, More]) Delete(ctx context.Context, have kind.Live[*NeutronState[Spec, More]]) (bool, error) {
	if d.remove != nil {
		return d.remove(ctx, d, have)
	}
	return DeleteNeutron(ctx, d.Client, d.Resource, have.ID)
}

// Creation is the body of a request that creates, without description and tags.
func (d NeutronDriver[Spec, More]) Creation(w kind.Want[Spec]) map[string]any {
	return withoutLabels(d.fields.Creation(w))
}

func withoutLabels(body map[string]any) map[string]any {
	maps.DeleteFunc(body, func(name string, _ any) bool { return name == "description" || name == "tags" })
	return body
}

// Labels are the description and tags that the manifest asks for.
func (d NeutronDriver[Spec, More]) Labels(w kind.Want[Spec]) Labels {
	body := d.fields.Creation(w)
	l := Labels{MarkInTags: d.markInTags || w.OthersWrite(table.Path("description"))}
	l.Description, _ = body["description"].(string)
	if tags, ok := body["tags"].([]any); ok {
		for _, tag := range tags {
			l.Tags = append(l.Tags, tag.(string))
		}
	}
	return l
}
