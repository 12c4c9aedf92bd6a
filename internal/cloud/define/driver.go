package define

import (
	"context"
	"fmt"
	"maps"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Driver does what a kind's functions do as its table says, and adds what the functions of the [Resource] say. Those that
// take the place of one that makes requests are given it, to use what it can do.
type Driver[Spec, Filter, More any] struct {
	Client *cloud.Client
	of     Resource[Spec, Filter, More]
	fields *table.Table[Spec, More]
}

// List is that of [kind.Driver].
func (d *Driver[Spec, Filter, More]) List(ctx context.Context, asked kind.Listing) ([]typed.Live[State[Spec, More]], error) {
	ctx = cloud.At(ctx, asked.Moment)
	all, err := d.all(ctx, asked.Managed)
	if err != nil {
		return nil, err
	}
	if d.of.Join != nil {
		if err := d.of.Join(ctx, d, all); err != nil {
			return nil, err
		}
	}
	if err := d.joinShares(ctx, all); err != nil {
		return nil, err
	}
	out := make([]typed.Live[State[Spec, More]], len(all))
	for i, s := range all {
		out[i] = d.live(s)
	}
	return out, nil
}

// live is an object as the engine sees it. One whose service does not say which project it is
// in is the stack's.
func (d *Driver[Spec, Filter, More]) live(s *State[Spec, More]) typed.Live[State[Spec, More]] {
	live := kind.Live{ID: s.ID, Name: s.Name, Mark: s.Mark, Phase: kind.Ready,
		InOwnProject: s.Project == d.Client.ProjectID || s.Project == "" && s.Standard == nil}
	if s.Standard != nil {
		live.Created, live.Updated = s.Standard.CreatedAt, s.Standard.UpdatedAt
	}
	if d.of.Observe != nil {
		d.of.Observe(s, &live)
	}
	if _, ok := any(&s.Spec).(resident); ok {
		d.resides(s, &live)
	}
	return typed.Live[State[Spec, More]]{Live: live, State: s}
}

// resides says which project an object is in. In another one the description has its mark, which
// tags cannot dispute: where others see the object, they may write them. A mark in a name or a description is guarded anyway.
func (d *Driver[Spec, Filter, More]) resides(s *State[Spec, More], live *kind.Live) {
	live.Project, live.Guarded = s.Project, s.Standard == nil && s.Mark != nil
	if live.InOwnProject {
		return
	}
	live.Uses = append(live.Uses, live.Project)
	if s.Standard == nil {
		return
	}
	if _, m := mark.InDescription(s.Standard.Described); m != nil {
		live.Mark, live.Guarded = m, true
	}
}

// Create makes the object in the project that its manifest names, or else in the client's own. One that is shared is marked as
// half-made until it is: a kill in between leaves an object that is known to be that. A kind's own function shares by itself.
func (d *Driver[Spec, Filter, More]) Create(ctx context.Context, w typed.Want[Spec]) (live typed.Live[State[Spec, More]], err error) {
	if d.of.Create != nil {
		made, err := d.of.Create(ctx, d, w)
		if err != nil {
			return live, err
		}
		return d.live(made), nil
	}
	begun, shares := w, d.shares(w)
	if shares {
		begun.Mark = mark.Begun(w.Mark)
	}
	made, err := d.create(ctx, begun)
	if err == nil && shares {
		err = d.finishShared(ctx, w, made)
	}
	if err != nil {
		return live, err
	}
	return d.live(made), nil
}

func (d *Driver[Spec, Filter, More]) create(ctx context.Context, w typed.Want[Spec]) (*State[Spec, More], error) {
	if d.of.labelled() {
		return d.PostLabelled(ctx, d.Creation(w), w.Mark, d.Labels(w))
	}
	return d.Post(ctx, d.Creation(w))
}

// Creation is the body of a request that creates: with the mark, or without description and tags where [Labels] have it.
func (d *Driver[Spec, Filter, More]) Creation(w typed.Want[Spec]) map[string]any {
	body := d.fields.Creation(w)
	if project := elsewhere(d.Client, w); project != "" {
		body[d.of.Collection.Project] = project
	}
	if d.of.labelled() {
		return withoutLabels(body)
	}
	body[d.of.Mark.Attribute] = d.of.Mark.Put(body[d.of.Mark.Attribute], w.Mark, "", d.Client.ProjectID)
	return body
}

func withoutLabels(body map[string]any) map[string]any {
	delete(body, "description")
	delete(body, "tags")
	return body
}

// Update is that of [kind.Driver].
func (d *Driver[Spec, Filter, More]) Update(ctx context.Context, w typed.Want[Spec], have typed.Live[State[Spec, More]], changes []kind.Change) error {
	change := Change[Spec, More]{Want: w, Have: have, Changes: changes, Fields: d.fields.Update(w, &have.State.Object, changes)}
	if have.State.Standard != nil {
		change.Now = *have.State.Standard
		withoutLabels(change.Fields)
	}
	if kind.Has(changes, sharedWith) {
		change.Now.Revision = 0
		if err := d.of.Sharing.set(ctx, d.Client, have.ID, sharesIn(w.Spec).ids(w.Ref)); err != nil {
			return err
		}
	}
	if d.of.Update != nil {
		return d.of.Update(ctx, d, change)
	}
	return d.Write(ctx, change)
}

// Write carries out a change, and writes the mark: in the same request, or in a last
// one where the mark stands apart. What people wrote beside it stays.
func (d *Driver[Spec, Filter, More]) Write(ctx context.Context, n Change[Spec, More]) error {
	if d.of.labelled() {
		_, err := d.labels().update(ctx, &n.Now, n.Changes, n.Fields, n.Want.Mark, d.Labels(n.Want))
		return err
	}
	at, path, fields := d.of.Mark.Attribute, d.Path(n.Have.ID), maps.Clone(n.Fields)
	own, changed := fields[at]
	if !changed {
		own = d.fields.Present(at, &n.Have.State.Spec)
	}
	marked := d.of.Mark.Put(own, n.Want.Mark, n.Have.ID, d.Client.ProjectID)
	if !d.of.Mark.Apart {
		fields[at] = marked
		return d.send(ctx, d.of.Collection.UpdateBy, path, d.wrapped(fields))
	}
	if delete(fields, at); len(fields) > 0 {
		if err := d.send(ctx, d.of.Collection.UpdateBy, path, d.wrapped(fields)); err != nil {
			return err
		}
	}
	return d.send(ctx, http.MethodPut, path+"/"+at, map[string]any{at: marked})
}

// Delete is that of [kind.Driver].
func (d *Driver[Spec, Filter, More]) Delete(ctx context.Context, have typed.Live[State[Spec, More]]) (gone bool, err error) {
	if d.of.Delete != nil {
		return d.of.Delete(ctx, d, have)
	}
	return d.Remove(ctx, have.ID)
}

// Unmark is that of [kind.Driver]: it takes the mark off, and leaves what people wrote beside it.
func (d *Driver[Spec, Filter, More]) Unmark(ctx context.Context, have typed.Live[State[Spec, More]]) error {
	switch {
	case d.of.Info.FixedMark || d.of.Info.StaysMarked:
		return fmt.Errorf("%w: the mark of a %s cannot be taken off", kind.ErrRejected, d.of.Info.Kind)
	case d.of.Unmark != nil:
		return d.of.Unmark(ctx, d, have)
	case d.of.labelled():
		now := *have.State.Standard
		return d.labels().unmark(ctx, &now)
	}
	return d.Write(ctx, Change[Spec, More]{Have: have, Fields: map[string]any{}})
}
