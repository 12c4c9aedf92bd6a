package define

import (
	"context"
	"net/http"
	"path"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// NeutronDriver is the driver of a [NeutronKind]. It does what the kind has no function
// for, and the functions are given it, to use what it can do.
type NeutronDriver[Spec, Filter, More any] struct {
	neutron
	of     NeutronKind[Spec, Filter, More]
	fields *table.Table[Spec, More]
}

func (d *NeutronDriver[Spec, Filter, More]) live(s *NeutronState[Spec, More]) kind.Live[*NeutronState[Spec, More]] {
	live := kind.Live[*NeutronState[Spec, More]]{ID: s.ID, Name: s.Name, Mark: s.Mark(), Mine: s.ProjectID == d.Client.ProjectID,
		Phase: kind.Ready, Created: s.CreatedAt, Updated: s.UpdatedAt, State: s}
	if d.of.Observe != nil {
		d.of.Observe(s, &live)
	}
	if _, ok := any(&s.Spec).(resident); ok {
		d.resides(s, &live)
	}
	return live
}

// resides says which project an object is in. In another one the description has its mark, which
// tags cannot dispute: where others see the object, they may write them.
func (d *NeutronDriver[Spec, Filter, More]) resides(s *NeutronState[Spec, More], live *kind.Live[*NeutronState[Spec, More]]) {
	live.Project = s.ProjectID
	if live.Mine {
		return
	}
	live.Uses = append(live.Uses, s.ProjectID)
	if _, m := mark.InDescription(s.Described); m != nil {
		live.Mark, live.Guarded = m, true
	}
}

// List also returns the objects of others that the project can use: imports look for
// shared ones.
func (d *NeutronDriver[Spec, Filter, More]) List(ctx context.Context) ([]kind.Live[*NeutronState[Spec, More]], error) {
	list := d.of.List
	if list == nil {
		list = func(ctx context.Context, d *NeutronDriver[Spec, Filter, More]) ([]NeutronState[Spec, More], error) {
			return d.Find(ctx, "")
		}
	}
	all, err := list(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := d.joinShares(ctx, all); err != nil {
		return nil, err
	}
	out := make([]kind.Live[*NeutronState[Spec, More]], len(all))
	for i := range all {
		out[i] = d.live(&all[i])
	}
	return out, nil
}

// Find lists the objects of the collection that a query asks for ("?device_owner=…").
func (d *NeutronDriver[Spec, Filter, More]) Find(ctx context.Context, query string) ([]NeutronState[Spec, More], error) {
	if err := d.Client.Offers(ctx, d.Resource.Extension); err != nil {
		return nil, err
	}
	return cloud.List[NeutronState[Spec, More]](ctx, d.Client, cloud.Call{Service: cloud.Network, Path: d.Resource.Collection + query},
		strings.ReplaceAll(path.Base(d.Resource.Collection), "-", "_"))
}

// Create makes the object in the project that its manifest names, or else in the client's own.
func (d *NeutronDriver[Spec, Filter, More]) Create(ctx context.Context, w kind.Want[*Spec]) (live kind.Live[*NeutronState[Spec, More]], err error) {
	var made *NeutronState[Spec, More]
	switch {
	case d.of.Create != nil:
		made, err = d.of.Create(ctx, d, w)
	case d.shares(w):
		made, err = d.createShared(ctx, w)
	default:
		made, err = d.Post(ctx, d.Creation(w), w.Mark, d.Labels(w))
	}
	if err != nil {
		return live, err
	}
	return d.live(made), nil
}

// Post makes an object with the mark m, in one request where the cloud can. body has its
// attributes but description and tags, which [Labels] have. With [mark.Begun], it is
// made in one request, and shall be finished by [NeutronDriver.Finish].
func (d *NeutronDriver[Spec, Filter, More]) Post(ctx context.Context, body map[string]any, m kind.Mark, l Labels) (*NeutronState[Spec, More], error) {
	made := new(NeutronState[Spec, More])
	return made, d.post(ctx, body, m, l, made)
}

// OneRequest reports whether [NeutronDriver.Post] makes an object with these labels in
// one request.
func (d *NeutronDriver[Spec, Filter, More]) OneRequest(ctx context.Context, m kind.Mark, l Labels) (bool, error) {
	return d.oneRequest(ctx, m, l)
}

// Finish writes fields and the mark m on an object that was made with [mark.Begun], which
// takes in what the cloud answers to fields.
func (d *NeutronDriver[Spec, Filter, More]) Finish(ctx context.Context, made *NeutronState[Spec, More], fields map[string]any, m kind.Mark, l Labels) error {
	made.Revision = 0 // the other requests have raised it
	return d.update(ctx, &made.NeutronBase, []kind.Change{{Field: "spec.resource.tags"}}, fields, m, l, made)
}

// Update carries out changes.
func (d *NeutronDriver[Spec, Filter, More]) Update(ctx context.Context, w kind.Want[*Spec], have kind.Live[*NeutronState[Spec, More]], changes []kind.Change) error {
	change := NeutronChange[Spec, More]{w, have, changes, withoutLabels(d.fields.Update(w, &have.State.Object, changes))}
	if kind.Has(changes, sharedWith) {
		now := *have.State
		now.Revision = 0 // sharing raises it
		change.Have.State = &now
		if err := d.Share(ctx, w, &now); err != nil {
			return err
		}
	}
	if d.of.Update != nil {
		return d.of.Update(ctx, d, change)
	}
	return d.Write(ctx, have.State.NeutronBase, change)
}

// Write carries out a change of an object as it is now, and writes the mark.
func (d *NeutronDriver[Spec, Filter, More]) Write(ctx context.Context, now NeutronBase, n NeutronChange[Spec, More]) error {
	return d.update(ctx, &now, n.Changes, n.Fields, n.Want.Mark, d.Labels(n.Want))
}

// Delete deletes the object.
func (d *NeutronDriver[Spec, Filter, More]) Delete(ctx context.Context, have kind.Live[*NeutronState[Spec, More]]) (gone bool, err error) {
	if d.of.Delete != nil {
		return d.of.Delete(ctx, d, have)
	}
	return d.Remove(ctx, have.ID)
}

// Remove deletes an object, which Neutron has forgotten when it answers.
func (d *NeutronDriver[Spec, Filter, More]) Remove(ctx context.Context, id string) (gone bool, err error) {
	err = d.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: d.Resource.Collection + "/" + id})
	return err == nil, err
}

// Unmark takes the mark off the object, wherever it stands.
func (d *NeutronDriver[Spec, Filter, More]) Unmark(ctx context.Context, have kind.Live[*NeutronState[Spec, More]]) error {
	now := have.State.NeutronBase
	return d.unmark(ctx, &now)
}

// Creation is the body of a request that creates, without description and tags.
func (d *NeutronDriver[Spec, Filter, More]) Creation(w kind.Want[*Spec]) map[string]any {
	body := withoutLabels(d.fields.Creation(w))
	if project := elsewhere(d.Client, w); project != "" {
		body["project_id"] = project
	}
	return body
}

func withoutLabels(body map[string]any) map[string]any {
	delete(body, "description")
	delete(body, "tags")
	return body
}

// Labels are the description and tags that the manifest asks for.
func (d *NeutronDriver[Spec, Filter, More]) Labels(w kind.Want[*Spec]) Labels {
	others, shared := w.OthersWrite(table.Path("description")), d.isShared(w)
	l := Labels{MarkInTags: others || d.of.MarkInTags && !shared, Guarded: shared && !others}
	if elsewhere(d.Client, w) != "" {
		l = Labels{Guarded: true, Elsewhere: true}
	}
	l.Description, _ = d.fields.Present("description", w.Spec).(string)
	if tags, ok := d.fields.Present("tags", w.Spec).([]any); ok {
		for _, tag := range tags {
			l.Tags = append(l.Tags, tag.(string))
		}
	}
	return l
}
