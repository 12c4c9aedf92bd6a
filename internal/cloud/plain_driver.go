package cloud

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// PlainDriver is the driver of a [Plain] kind.
type PlainDriver[Spec, More any] struct {
	Client     *Client
	Collection Collection
	service    string
	mark       mark.Place
	fields     *table.Table[Spec, More]
	importOnly bool
	join       func(context.Context, PlainDriver[Spec, More], []*PlainState[Spec, More]) error
	observe    func(*PlainState[Spec, More], *kind.Live[*PlainState[Spec, More]])
	create     func(context.Context, PlainDriver[Spec, More], kind.Want[Spec]) (*PlainState[Spec, More], error)
	update     func(context.Context, PlainDriver[Spec, More], PlainChange[Spec, More]) error
	remove     func(context.Context, PlainDriver[Spec, More], kind.Live[*PlainState[Spec, More]]) (bool, error)
	trace      func(context.Context, PlainDriver[Spec, More], kind.Live[*PlainState[Spec, More]], []kind.Change) (kind.Trace, bool, error)
}

// List implements kind.Driver.
func (d PlainDriver[Spec, More]) List(ctx context.Context) ([]kind.Live[*PlainState[Spec, More]], error) {
	version, err := d.microversion(ctx)
	if err != nil {
		return nil, err
	}
	paths := d.Collection.Lists
	if paths == nil {
		paths = []string{d.Collection.Path}
	}
	var all []*PlainState[Spec, More]
	for _, path := range paths {
		objects, err := List[table.Attributes](ctx, d.Client, Call{Service: d.service, Path: path, Microversion: version}, cmp.Or(d.Collection.Field, d.Collection.Path))
		if err != nil {
			return nil, err
		}
		for _, answer := range objects {
			s, err := d.read(answer)
			if err != nil {
				return nil, fmt.Errorf("%s: GET /%s: %w", d.service, path, err)
			}
			all = append(all, s)
		}
	}
	if d.join != nil {
		if err := d.join(ctx, d, all); err != nil {
			return nil, err
		}
	}
	out := make([]kind.Live[*PlainState[Spec, More]], len(all))
	for i, s := range all {
		out[i] = d.live(s)
	}
	return out, nil
}

func (d PlainDriver[Spec, More]) microversion(ctx context.Context) (string, error) {
	if d.Collection.Microversion == "" {
		return "", nil
	}
	return d.Client.Microversion(ctx, d.service, d.Collection.Microversion)
}

// read takes an object out of an answer.
func (d PlainDriver[Spec, More]) read(answer table.Attributes) (*PlainState[Spec, More], error) {
	s := new(PlainState[Spec, More])
	if text, wrapped := answer[d.Collection.Singular]; wrapped {
		answer = nil
		if err := json.Unmarshal(text, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Collection.Singular, err)
		}
	}
	text := func(name string, into *string) error {
		if value := answer[name]; value != nil {
			return json.Unmarshal(value, into)
		}
		return nil
	}
	if err := text(cmp.Or(d.Collection.ID, "id"), &s.ID); err != nil {
		return nil, fmt.Errorf("ID: %w", err)
	}
	if err := text("name", &s.Name); err != nil {
		return nil, fmt.Errorf("attribute name: %w", err)
	}
	claim, err := d.mark.Take(answer)
	if err != nil {
		return nil, err
	}
	if s.Claim = claim; d.Collection.Project != "" {
		if err := text(d.Collection.Project, &s.Project); err != nil {
			return nil, fmt.Errorf("attribute %s: %w", d.Collection.Project, err)
		}
	}
	return s, s.Read(answer)
}

// live is an object as the engine sees it. One that does not say which project it is
// in is the stack's, but for those that are only found.
func (d PlainDriver[Spec, More]) live(s *PlainState[Spec, More]) kind.Live[*PlainState[Spec, More]] {
	live := kind.Live[*PlainState[Spec, More]]{ID: s.ID, Name: s.Name, Mark: s.Mark, Phase: kind.Ready, State: s,
		Mine: s.Project == d.Client.ProjectID || s.Project == "" && !d.importOnly}
	if d.observe != nil {
		d.observe(s, &live)
	}
	return live
}

// Create implements kind.Driver.
func (d PlainDriver[Spec, More]) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*PlainState[Spec, More]], error) {
	create := d.create
	switch {
	case d.importOnly:
		return kind.Live[*PlainState[Spec, More]]{}, ErrImportOnly
	case create == nil:
		create = func(ctx context.Context, d PlainDriver[Spec, More], w kind.Want[Spec]) (*PlainState[Spec, More], error) {
			return d.Post(ctx, d.Creation(w))
		}
	}
	made, err := create(ctx, d, w)
	if err != nil {
		return kind.Live[*PlainState[Spec, More]]{}, err
	}
	return d.live(made), nil
}

// Creation is the body of a request that creates, with the mark.
func (d PlainDriver[Spec, More]) Creation(w kind.Want[Spec]) map[string]any {
	body := d.fields.Creation(w)
	body[d.mark.Attribute] = d.mark.Put(body[d.mark.Attribute], w.Mark, "", d.Client.ProjectID)
	return body
}

// Post makes an object.
func (d PlainDriver[Spec, More]) Post(ctx context.Context, body map[string]any) (*PlainState[Spec, More], error) {
	version, err := d.microversion(ctx)
	if err != nil {
		return nil, err
	}
	var answer table.Attributes
	err = d.Client.Do(ctx, Call{Service: d.service, Method: http.MethodPost, Path: d.Collection.Path, Body: d.wrapped(body), Into: &answer, Microversion: version})
	if err != nil {
		return nil, err
	}
	s, err := d.read(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: POST /%s: %w", d.service, d.Collection.Path, err)
	}
	return s, nil
}

func (d PlainDriver[Spec, More]) wrapped(body map[string]any) map[string]any {
	if d.Collection.Singular == "" {
		return body
	}
	return map[string]any{d.Collection.Singular: body}
}

// Path is that of an object.
func (d PlainDriver[Spec, More]) Path(id string) string {
	return d.Collection.Path + "/" + url.PathEscape(id)
}

// Update implements kind.Driver.
func (d PlainDriver[Spec, More]) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*PlainState[Spec, More]], changes []kind.Change) error {
	if d.importOnly {
		return ErrImportOnly
	}
	change := PlainChange[Spec, More]{w, have, changes, d.fields.Update(w, &have.State.Object, changes)}
	if d.update != nil {
		return d.update(ctx, d, change)
	}
	return d.Write(ctx, change)
}

// Write carries out a change, and writes the mark: in the same request, or in a last
// one where the mark stands apart. What people wrote beside it stays.
func (d PlainDriver[Spec, More]) Write(ctx context.Context, n PlainChange[Spec, More]) error {
	at, path, fields := d.mark.Attribute, d.Path(n.Have.ID), maps.Clone(n.Fields)
	own, changed := fields[at]
	if !changed {
		own = d.fields.Present(at, &n.Have.State.Spec)
	}
	marked := d.mark.Put(own, n.Want.Mark, n.Have.ID, d.Client.ProjectID)
	if !d.mark.Apart {
		fields[at] = marked
		return d.send(ctx, d.Collection.UpdateBy, path, d.wrapped(fields))
	}
	if delete(fields, at); len(fields) > 0 {
		if err := d.send(ctx, d.Collection.UpdateBy, path, d.wrapped(fields)); err != nil {
			return err
		}
	}
	return d.send(ctx, http.MethodPut, path+"/"+at, map[string]any{at: marked})
}

func (d PlainDriver[Spec, More]) send(ctx context.Context, method, path string, body map[string]any) error {
	return d.Client.Do(ctx, Call{Service: d.service, Method: method, Path: path, Body: body})
}

// Delete implements kind.Driver.
func (d PlainDriver[Spec, More]) Delete(ctx context.Context, have kind.Live[*PlainState[Spec, More]]) (gone bool, err error) {
	switch {
	case d.importOnly:
		return false, ErrImportOnly
	case d.remove != nil:
		return d.remove(ctx, d, have)
	}
	return d.Remove(ctx, have.ID)
}

// Remove deletes an object, which the service has forgotten when it answers.
func (d PlainDriver[Spec, More]) Remove(ctx context.Context, id string) (gone bool, err error) {
	err = d.Client.Do(ctx, Call{Service: d.service, Method: http.MethodDelete, Path: d.Path(id)})
	return err == nil, err
}

// Trace implements kind.Tracer.
func (d PlainDriver[Spec, More]) Trace(ctx context.Context, have kind.Live[*PlainState[Spec, More]], changes []kind.Change) (kind.Trace, bool, error) {
	if d.trace == nil {
		return kind.Trace{When: have.Updated}, !have.Updated.IsZero(), nil
	}
	return d.trace(ctx, d, have, changes)
}
