package cloud

import (
	"context"
	"maps"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// NeutronDriver is the driver of a kind of the network service.
type NeutronDriver[Spec, More any] struct {
	Client     *Client
	Resource   NeutronKind
	fields     *table.Table[Spec, More]
	markInTags bool
	observe    func(*NeutronState[Spec, More], *kind.Live[*NeutronState[Spec, More]])
	list       func(context.Context, NeutronDriver[Spec, More]) ([]NeutronState[Spec, More], error)
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
	if d.list == nil {
		return ListLive(ctx, d.Client, d.Resource, "", d.live)
	}
	all, err := d.list(ctx, d)
	out := make([]kind.Live[*NeutronState[Spec, More]], len(all))
	for i := range all {
		out[i] = d.live(&all[i])
	}
	return out, err
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
	l := Labels{MarkInTags: d.markInTags || w.OthersWrite(table.Path("description"))}
	l.Description, _ = d.fields.Present("description", w.Spec).(string)
	if tags, ok := d.fields.Present("tags", w.Spec).([]any); ok {
		for _, tag := range tags {
			l.Tags = append(l.Tags, tag.(string))
		}
	}
	return l
}
