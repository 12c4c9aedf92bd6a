package define

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// PlainDriver is the driver of a [PlainKind]. It does what the kind has no function for,
// and the functions are given it, to use what it can do.
type PlainDriver[Spec, Filter, More any] struct {
	Client *cloud.Client
	of     PlainKind[Spec, Filter, More]
	fields *table.Table[Spec, More]
}

// List implements kind.Driver.
func (d *PlainDriver[Spec, Filter, More]) List(ctx context.Context) ([]kind.Live[*PlainState[Spec, More]], error) {
	all, err := d.all(ctx)
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
	out := make([]kind.Live[*PlainState[Spec, More]], len(all))
	for i, s := range all {
		out[i] = d.live(s)
	}
	return out, nil
}

func (d *PlainDriver[Spec, Filter, More]) microversion(ctx context.Context) (string, error) {
	if d.of.Collection.Microversion == "" {
		return "", nil
	}
	return d.Client.Microversion(ctx, d.of.Info.Service, d.of.Collection.Microversion)
}

// read takes an object out of an answer.
func (d *PlainDriver[Spec, Filter, More]) read(answer table.Attributes) (*PlainState[Spec, More], error) {
	s := new(PlainState[Spec, More])
	if text, wrapped := answer[d.of.Collection.Singular]; wrapped {
		answer = nil
		if err := json.Unmarshal(text, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w", d.of.Collection.Singular, err)
		}
	}
	text := func(name string, into *string) error {
		if value := answer[name]; value != nil {
			return json.Unmarshal(value, into)
		}
		return nil
	}
	if err := text(cmp.Or(d.of.Collection.ID, "id"), &s.ID); err != nil {
		return nil, fmt.Errorf("ID: %w", err)
	}
	if d.of.Collection.Address {
		s.ID = s.ID[strings.LastIndexByte(s.ID, '/')+1:]
	}
	if err := text("name", &s.Name); err != nil {
		return nil, fmt.Errorf("attribute name: %w", err)
	}
	answer, claim, err := d.of.Mark.Take(answer)
	if err != nil {
		return nil, err
	}
	if s.Claim = claim; d.of.Collection.Project != "" {
		if err := text(d.of.Collection.Project, &s.Project); err != nil {
			return nil, fmt.Errorf("attribute %s: %w", d.of.Collection.Project, err)
		}
	}
	return s, s.Read(answer)
}

// Read takes an object out of what a service says of it other than in the body of an answer.
func (d *PlainDriver[Spec, Filter, More]) Read(said table.Attributes) (*PlainState[Spec, More], error) {
	return d.read(said)
}

// live is an object as the engine sees it. One that does not say which project it is
// in is the stack's, but for those that are only found.
func (d *PlainDriver[Spec, Filter, More]) live(s *PlainState[Spec, More]) kind.Live[*PlainState[Spec, More]] {
	live := kind.Live[*PlainState[Spec, More]]{ID: s.ID, Name: s.Name, Mark: s.Mark, Phase: kind.Ready, State: s,
		Mine: s.Project == d.Client.ProjectID || s.Project == "" && !d.of.Info.ImportOnly}
	if _, ok := any(&s.Spec).(resident); ok {
		live.Project, live.Guarded = s.Project, s.Mark != nil // which stands in the name or the description
	}
	if d.of.Observe != nil {
		d.of.Observe(s, &live)
	}
	if live.Project != "" && !live.Mine {
		live.Uses = append(live.Uses, live.Project)
	}
	return live
}

// Create implements kind.Driver.
func (d *PlainDriver[Spec, Filter, More]) Create(ctx context.Context, w kind.Want[*Spec]) (live kind.Live[*PlainState[Spec, More]], err error) {
	if d.of.Info.ImportOnly {
		return live, errImportOnly
	}
	begun := w
	if d.shares(w) {
		begun.Mark = mark.Begun(w.Mark)
	}
	var made *PlainState[Spec, More]
	if d.of.Create != nil {
		made, err = d.of.Create(ctx, d, begun)
	} else {
		made, err = d.Post(ctx, d.Creation(begun))
	}
	if err == nil && d.shares(w) {
		err = d.finishShared(ctx, w, made)
	}
	if err != nil {
		return live, err
	}
	return d.live(made), nil
}

// Creation is the body of a request that creates, with the mark.
func (d *PlainDriver[Spec, Filter, More]) Creation(w kind.Want[*Spec]) map[string]any {
	body := d.fields.Creation(w)
	if project := elsewhere(d.Client, w); project != "" {
		body[d.of.Collection.Project] = project
	}
	body[d.of.Mark.Attribute] = d.of.Mark.Put(body[d.of.Mark.Attribute], w.Mark, "", d.Client.ProjectID)
	return body
}

// Post makes an object.
func (d *PlainDriver[Spec, Filter, More]) Post(ctx context.Context, body map[string]any) (*PlainState[Spec, More], error) {
	version, err := d.microversion(ctx)
	if err != nil {
		return nil, err
	}
	var answer table.Attributes
	path, parent, body := d.of.Collection.place(body)
	err = d.Client.Do(ctx, cloud.Call{Service: d.of.Info.Service, Method: http.MethodPost, Path: path, Body: d.wrapped(body), Into: &answer, Microversion: version, Secret: d.of.Collection.Secret})
	if err != nil {
		return nil, err
	}
	if d.of.Collection.Within != nil {
		answer, err = d.of.Collection.below(answer, parent, d.Client.ProjectID)
	}
	var s *PlainState[Spec, More]
	if err == nil {
		s, err = d.read(answer)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: POST /%s: %w", d.of.Info.Service, path, err)
	}
	return s, nil
}

// Get reads an object.
func (d *PlainDriver[Spec, Filter, More]) Get(ctx context.Context, id string) (s *PlainState[Spec, More], err error) {
	var answer table.Attributes
	call := cloud.Call{Service: d.of.Info.Service, Method: http.MethodGet, Path: d.Path(id), Into: &answer}
	if call.Microversion, err = d.microversion(ctx); err != nil {
		return nil, err
	}
	if err := d.Client.Do(ctx, call); err != nil {
		return nil, err
	}
	if s, err = d.read(answer); err != nil {
		return nil, fmt.Errorf("%s: GET /%s: %w", d.of.Info.Service, call.Path, err)
	}
	return s, nil
}

func (d *PlainDriver[Spec, Filter, More]) wrapped(body map[string]any) map[string]any {
	if d.of.Collection.Singular == "" {
		return body
	}
	return map[string]any{d.of.Collection.Singular: body}
}

// Path is that of an object.
func (d *PlainDriver[Spec, Filter, More]) Path(id string) string {
	if parent, own, ok := strings.Cut(id, "/"); ok && d.of.Collection.Within != nil {
		return d.of.Collection.Within.Path + "/" + url.PathEscape(parent) + "/" + d.of.Collection.Path + "/" + url.PathEscape(own)
	}
	return d.of.Collection.Path + "/" + url.PathEscape(id)
}

// Update implements kind.Driver.
func (d *PlainDriver[Spec, Filter, More]) Update(ctx context.Context, w kind.Want[*Spec], have kind.Live[*PlainState[Spec, More]], changes []kind.Change) error {
	if d.of.Info.ImportOnly {
		return errImportOnly
	}
	change := PlainChange[Spec, More]{w, have, changes, d.fields.Update(w, &have.State.Object, changes)}
	if kind.Has(changes, sharedWith) {
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
func (d *PlainDriver[Spec, Filter, More]) Write(ctx context.Context, n PlainChange[Spec, More]) error {
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

func (d *PlainDriver[Spec, Filter, More]) send(ctx context.Context, method, path string, body map[string]any) error {
	return d.Client.Do(ctx, cloud.Call{Service: d.of.Info.Service, Method: method, Path: path, Body: body, Secret: d.of.Collection.Secret})
}

// Delete implements kind.Driver.
func (d *PlainDriver[Spec, Filter, More]) Delete(ctx context.Context, have kind.Live[*PlainState[Spec, More]]) (gone bool, err error) {
	switch {
	case d.of.Info.ImportOnly:
		return false, errImportOnly
	case d.of.Delete != nil:
		return d.of.Delete(ctx, d, have)
	}
	return d.Remove(ctx, have.ID)
}

// Remove deletes an object, which the service has forgotten when it answers.
func (d *PlainDriver[Spec, Filter, More]) Remove(ctx context.Context, id string) (gone bool, err error) {
	err = d.Client.Do(ctx, cloud.Call{Service: d.of.Info.Service, Method: http.MethodDelete, Path: d.Path(id)})
	return err == nil, err
}

// Unmark implements kind.Driver: it writes what people want in the place of the mark.
func (d *PlainDriver[Spec, Filter, More]) Unmark(ctx context.Context, have kind.Live[*PlainState[Spec, More]]) error {
	switch {
	case d.of.Info.FixedMark || d.of.Info.StaysMarked || d.of.Info.ImportOnly:
		return fmt.Errorf("%w: the mark of a %s cannot be taken off", kind.ErrRejected, d.of.Info.Kind)
	case d.of.Unmark != nil:
		return d.of.Unmark(ctx, d, have)
	}
	return d.Write(ctx, PlainChange[Spec, More]{Have: have, Fields: map[string]any{}})
}

// Trace implements kind.Tracer.
func (d *PlainDriver[Spec, Filter, More]) Trace(ctx context.Context, have kind.Live[*PlainState[Spec, More]], changes []kind.Change) (kind.Trace, bool, error) {
	if d.of.Trace == nil {
		return kind.Trace{When: have.Updated}, !have.Updated.IsZero(), nil
	}
	return d.of.Trace(ctx, d, have, changes)
}
