package define

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/cloud"
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
func (d PlainDriver[Spec, Filter, More]) List(ctx context.Context) ([]kind.Live[*PlainState[Spec, More]], error) {
	version, err := d.microversion(ctx)
	if err != nil {
		return nil, err
	}
	paths := d.of.Collection.Lists
	if paths == nil {
		paths = []string{d.of.Collection.Path}
	}
	var all []*PlainState[Spec, More]
	for _, path := range paths {
		call := cloud.Call{Service: d.of.Info.Service, Path: path, Microversion: version}
		err := cloud.Each(ctx, d.Client, call, cmp.Or(d.of.Collection.Field, d.of.Collection.Path), func(answer table.Attributes) error {
			s, err := d.read(answer)
			all = append(all, s)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if d.of.Join != nil {
		if err := d.of.Join(ctx, d, all); err != nil {
			return nil, err
		}
	}
	out := make([]kind.Live[*PlainState[Spec, More]], len(all))
	for i, s := range all {
		out[i] = d.live(s)
	}
	return out, nil
}

func (d PlainDriver[Spec, Filter, More]) microversion(ctx context.Context) (string, error) {
	if d.of.Collection.Microversion == "" {
		return "", nil
	}
	return d.Client.Microversion(ctx, d.of.Info.Service, d.of.Collection.Microversion)
}

// read takes an object out of an answer.
func (d PlainDriver[Spec, Filter, More]) read(answer table.Attributes) (*PlainState[Spec, More], error) {
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
	if err := text("name", &s.Name); err != nil {
		return nil, fmt.Errorf("attribute name: %w", err)
	}
	claim, err := d.of.Mark.Take(answer)
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

// live is an object as the engine sees it. One that does not say which project it is
// in is the stack's, but for those that are only found.
func (d PlainDriver[Spec, Filter, More]) live(s *PlainState[Spec, More]) kind.Live[*PlainState[Spec, More]] {
	live := kind.Live[*PlainState[Spec, More]]{ID: s.ID, Name: s.Name, Mark: s.Mark, Phase: kind.Ready, State: s,
		Mine: s.Project == d.Client.ProjectID || s.Project == "" && !d.of.Info.ImportOnly}
	if d.of.Observe != nil {
		d.of.Observe(s, &live)
	}
	return live
}

// Create implements kind.Driver.
func (d PlainDriver[Spec, Filter, More]) Create(ctx context.Context, w kind.Want[Spec]) (live kind.Live[*PlainState[Spec, More]], err error) {
	if d.of.Info.ImportOnly {
		return live, errImportOnly
	}
	var made *PlainState[Spec, More]
	if d.of.Create != nil {
		made, err = d.of.Create(ctx, d, w)
	} else {
		made, err = d.Post(ctx, d.Creation(w))
	}
	if err != nil {
		return live, err
	}
	return d.live(made), nil
}

// Creation is the body of a request that creates, with the mark.
func (d PlainDriver[Spec, Filter, More]) Creation(w kind.Want[Spec]) map[string]any {
	body := d.fields.Creation(w)
	body[d.of.Mark.Attribute] = d.of.Mark.Put(body[d.of.Mark.Attribute], w.Mark, "", d.Client.ProjectID)
	return body
}

// Post makes an object.
func (d PlainDriver[Spec, Filter, More]) Post(ctx context.Context, body map[string]any) (*PlainState[Spec, More], error) {
	version, err := d.microversion(ctx)
	if err != nil {
		return nil, err
	}
	var answer table.Attributes
	err = d.Client.Do(ctx, cloud.Call{Service: d.of.Info.Service, Method: http.MethodPost, Path: d.of.Collection.Path, Body: d.wrapped(body), Into: &answer, Microversion: version})
	if err != nil {
		return nil, err
	}
	s, err := d.read(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: POST /%s: %w", d.of.Info.Service, d.of.Collection.Path, err)
	}
	return s, nil
}

func (d PlainDriver[Spec, Filter, More]) wrapped(body map[string]any) map[string]any {
	if d.of.Collection.Singular == "" {
		return body
	}
	return map[string]any{d.of.Collection.Singular: body}
}

// Path is that of an object.
func (d PlainDriver[Spec, Filter, More]) Path(id string) string {
	return d.of.Collection.Path + "/" + url.PathEscape(id)
}

// Update implements kind.Driver.
func (d PlainDriver[Spec, Filter, More]) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*PlainState[Spec, More]], changes []kind.Change) error {
	if d.of.Info.ImportOnly {
		return errImportOnly
	}
	change := PlainChange[Spec, More]{w, have, changes, d.fields.Update(w, &have.State.Object, changes)}
	if d.of.Update != nil {
		return d.of.Update(ctx, d, change)
	}
	return d.Write(ctx, change)
}

// Write carries out a change, and writes the mark: in the same request, or in a last
// one where the mark stands apart. What people wrote beside it stays.
func (d PlainDriver[Spec, Filter, More]) Write(ctx context.Context, n PlainChange[Spec, More]) error {
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

func (d PlainDriver[Spec, Filter, More]) send(ctx context.Context, method, path string, body map[string]any) error {
	return d.Client.Do(ctx, cloud.Call{Service: d.of.Info.Service, Method: method, Path: path, Body: body})
}

// Delete implements kind.Driver.
func (d PlainDriver[Spec, Filter, More]) Delete(ctx context.Context, have kind.Live[*PlainState[Spec, More]]) (gone bool, err error) {
	switch {
	case d.of.Info.ImportOnly:
		return false, errImportOnly
	case d.of.Delete != nil:
		return d.of.Delete(ctx, d, have)
	}
	return d.Remove(ctx, have.ID)
}

// Remove deletes an object, which the service has forgotten when it answers.
func (d PlainDriver[Spec, Filter, More]) Remove(ctx context.Context, id string) (gone bool, err error) {
	err = d.Client.Do(ctx, cloud.Call{Service: d.of.Info.Service, Method: http.MethodDelete, Path: d.Path(id)})
	return err == nil, err
}

// Trace implements kind.Tracer.
func (d PlainDriver[Spec, Filter, More]) Trace(ctx context.Context, have kind.Live[*PlainState[Spec, More]], changes []kind.Change) (kind.Trace, bool, error) {
	if d.of.Trace == nil {
		return kind.Trace{When: have.Updated}, !have.Updated.IsZero(), nil
	}
	return d.of.Trace(ctx, d, have, changes)
}
