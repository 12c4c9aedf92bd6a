package define

import (
	"context"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Driver implements the functions of a kind from its table of fields and from its [Resource]. A function of the Resource that
// replaces one of the driver's requests gets the driver as an argument, so it can call the driver's methods.
type Driver[Spec, Filter, More any] struct {
	Client *cloud.Client
	of     Resource[Spec, Filter, More]
	fields *table.Table[Spec, More]
	marks  marking[Spec, Filter, More]
}

// driver makes the driver of a resource.
func (r Resource[Spec, Filter, More]) driver(c *cloud.Client) *Driver[Spec, Filter, More] {
	r.Collection.complete()
	d := &Driver[Spec, Filter, More]{Client: c, of: r, fields: table.New(r.Overrides...)}
	if r.Flat {
		d.fields = table.NewFlat(r.Overrides...)
	}
	if r.Mark.Attribute == "" {
		d.fields.LeaveOut("description", "tags") // inLabels writes them, together with the mark
		d.marks = inLabels[Spec, Filter, More]{d, labeller{c, r.Collection, d.fields.Extensions()}}
	} else {
		d.marks = inAttribute[Spec, Filter, More]{d}
	}
	return d
}

// List implements [kind.Driver.List].
func (d *Driver[Spec, Filter, More]) List(ctx context.Context, asked kind.Listing) ([]typed.Live[State[Spec, More]], error) {
	ctx = cloud.At(ctx, asked.Shared)
	all, err := d.all(ctx, asked.Managed)
	if err != nil {
		return nil, err
	}
	if d.stillPending(asked.Waiting, all) {
		return nil, kind.ErrStillPending
	}
	if d.of.Join != nil {
		if err := d.of.Join(ctx, d, all); err != nil {
			return nil, err
		}
	}
	if asked.Joins(sharesList) {
		if err := d.joinShares(ctx, all); err != nil {
			return nil, err
		}
	}
	out := make([]typed.Live[State[Spec, More]], len(all))
	for i, s := range all {
		out[i] = d.live(s)
	}
	return out, nil
}

// stillPending reports whether the list without the joined collections shows that the cloud still works on the objects that the pass waits for.
func (d *Driver[Spec, Filter, More]) stillPending(w kind.Waiting, all []*State[Spec, More]) bool {
	if d.of.Join == nil || len(w.IDs) == 0 {
		return false // the list is complete
	}
	byID := make(map[string]*State[Spec, More], len(all))
	for _, s := range all {
		byID[s.ID] = s
	}
	return w.Still(func(id string) (kind.Phase, bool) {
		s, exists := byID[id]
		if !exists {
			return "", false
		}
		seen := *s // a copy, because Observe may change it
		return d.live(&seen).Live.Phase, true
	})
}

// live is an object as the engine sees it. If the service does not report the project of its objects, they count as objects of the
// stack's project. The network service always reports the project of its own resources.
func (d *Driver[Spec, Filter, More]) live(s *State[Spec, More]) typed.Live[State[Spec, More]] {
	live := kind.Live{ID: s.ID, Name: s.Name, Mark: s.Mark, Phase: kind.Ready,
		InOwnProject: s.Project == d.Client.ProjectID || s.Project == "" && s.Standard == nil}
	if s.Standard != nil {
		live.Created, live.Updated = s.Standard.CreatedAt.Time, s.Standard.UpdatedAt.Time
	}
	if d.of.Observe != nil {
		d.of.Observe(s, &live)
	}
	if isResident[Spec]() {
		s.recordProject(&live)
	}
	return typed.Live[State[Spec, More]]{Live: live, State: s}
}

// Create creates the object in the project that its manifest names, or else in the client's own. The mark of a shared object says
// that it is half-made until it is shared. So after a kill, the agent recognises that the object is half-made. If the kind has its
// own Create function, that function shares the object.
func (d *Driver[Spec, Filter, More]) Create(ctx context.Context, w typed.Want[Spec]) (live typed.Live[State[Spec, More]], err error) {
	var made *State[Spec, More]
	switch {
	case d.of.Create != nil:
		made, err = d.of.Create(ctx, d, w)
	case sharesIn(w.Spec).any():
		made, err = d.createShared(ctx, w)
	default:
		made, err = d.Post(ctx, w, d.Creation(w))
	}
	if err != nil {
		return live, err
	}
	return d.live(made), nil
}

func (d *Driver[Spec, Filter, More]) createShared(ctx context.Context, w typed.Want[Spec]) (*State[Spec, More], error) {
	made, err := d.Begin(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := d.Share(ctx, w, made); err != nil {
		return nil, err
	}
	return made, d.Finish(ctx, w, made)
}

// Creation is the body of a create request, for [Driver.Post]. It contains the mark if the kind has its mark in an attribute. If the
// kind has its mark in labels, Post adds the labels together with the mark.
func (d *Driver[Spec, Filter, More]) Creation(w typed.Want[Spec]) map[string]any {
	body := d.fields.Creation(w)
	if project := d.otherProject(w); project != "" {
		body[d.of.Collection.Project] = project
	}
	if at := d.of.Mark.Attribute; at != "" {
		body[at] = d.of.Mark.Put(body[at], w.Mark, "", d.Client.ProjectID)
	}
	return body
}

// Post creates an object with the desired mark, in as many requests as needed. It adds attributes to body.
func (d *Driver[Spec, Filter, More]) Post(ctx context.Context, w typed.Want[Spec], body map[string]any) (*State[Spec, More], error) {
	return d.PostLast(ctx, w, body, map[string]any{})
}

// PostLast does the same as [Driver.Post]. The last of its requests also writes the attributes in last.
func (d *Driver[Spec, Filter, More]) PostLast(ctx context.Context, w typed.Want[Spec], body, last map[string]any) (*State[Spec, More], error) {
	answer, err := d.marks.post(ctx, w, body, last)
	if err != nil {
		return nil, err
	}
	s, err := d.Read(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: POST /%s: %w", d.of.Info.Service, d.of.Collection.Path, err)
	}
	return s, nil
}

// Begin creates an object in one request, with a mark that says that nothing is applied yet. [Driver.Finish] finishes it.
func (d *Driver[Spec, Filter, More]) Begin(ctx context.Context, w typed.Want[Spec]) (*State[Spec, More], error) {
	w.Mark = mark.HalfMade(w.Mark)
	return d.Post(ctx, w, d.Creation(w))
}

// Finish writes the desired mark on an object that [Driver.Begin] created, and reads the cloud's answer into made.
func (d *Driver[Spec, Filter, More]) Finish(ctx context.Context, w typed.Want[Spec], made *State[Spec, More]) error {
	n := Change[Spec, More]{Want: w, Have: typed.Live[State[Spec, More]]{Live: kind.Live{ID: made.ID}, State: made}, Fields: map[string]any{}, Raised: true,
		Changes: []kind.Change{{Field: table.Path("tags")}}} // the answer to a create request may lack tags
	answer, err := d.marks.write(ctx, &n)
	if err == nil && answer != nil {
		if answer, err = d.marks.read(answer, made); err == nil {
			err = made.Read(answer)
		}
	}
	made.Standard, made.Mark = n.Now, w.CopyMark()
	return err
}

// Update implements [kind.Driver.Update].
func (d *Driver[Spec, Filter, More]) Update(ctx context.Context, w typed.Want[Spec], have typed.Live[State[Spec, More]], changes []kind.Change) error {
	n := Change[Spec, More]{Want: w, Have: have, Changes: changes, Fields: d.fields.Update(w, &have.State.Object, changes)}
	for _, name := range d.of.FoundBy {
		if _, changed := n.Fields[name]; !changed {
			continue
		}
		if err := d.refuseOwn(have.ID); err != nil {
			return fmt.Errorf("%s cannot be changed: %w", name, err)
		}
	}
	if kind.Has(changes, sharedWith) {
		n.Raised = true
		if err := d.of.Sharing.set(ctx, d.Client, have.ID, sharesIn(w.Spec).ids(w.Ref)); err != nil {
			return err
		}
	}
	if d.of.Update != nil {
		return d.of.Update(ctx, d, n)
	}
	return d.Write(ctx, n)
}

// Write carries out a change and writes the mark: in the same request, or in a last request of its own if it is in tags or [mark.Place.Apart] is set.
// Text that people wrote beside the mark stays.
func (d *Driver[Spec, Filter, More]) Write(ctx context.Context, n Change[Spec, More]) error {
	_, err := d.marks.write(ctx, &n)
	return err
}

// Delete implements [kind.Driver.Delete].
func (d *Driver[Spec, Filter, More]) Delete(ctx context.Context, have typed.Live[State[Spec, More]]) (gone bool, err error) {
	if err := d.refuseOwn(have.ID); err != nil {
		return false, err
	}
	if d.of.Delete != nil {
		return d.of.Delete(ctx, d, have)
	}
	return d.Remove(ctx, have.ID)
}

// Unmark implements [kind.Driver.Unmark]: it removes the mark. Text that people wrote beside the mark stays.
func (d *Driver[Spec, Filter, More]) Unmark(ctx context.Context, have typed.Live[State[Spec, More]]) error {
	switch {
	case d.of.Info.FixedMark || d.of.Info.StaysMarked:
		return fmt.Errorf("%w: the mark of a %s cannot be removed", kind.ErrRejected, d.of.Info.Kind)
	case d.of.Unmark != nil:
		return d.of.Unmark(ctx, d, have)
	}
	return d.Write(ctx, Change[Spec, More]{Have: have, Fields: map[string]any{}})
}
