package define

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
)

// Post makes an object.
func (d *Driver[Spec, Filter, More]) Post(ctx context.Context, body map[string]any) (*State[Spec, More], error) {
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
	var s *State[Spec, More]
	if err == nil {
		s, err = d.read(answer)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: POST /%s: %w", d.of.Info.Service, path, err)
	}
	return s, nil
}

// Get reads an object.
func (d *Driver[Spec, Filter, More]) Get(ctx context.Context, id string) (s *State[Spec, More], err error) {
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

func (d *Driver[Spec, Filter, More]) wrapped(body map[string]any) map[string]any {
	if d.of.Collection.Singular == "" {
		return body
	}
	return map[string]any{d.of.Collection.Singular: body}
}

// Path is that of an object.
func (d *Driver[Spec, Filter, More]) Path(id string) string {
	if parent, own, ok := strings.Cut(id, "/"); ok && d.of.Collection.Within != nil {
		return d.of.Collection.Within.Path + "/" + url.PathEscape(parent) + "/" + d.of.Collection.Path + "/" + url.PathEscape(own)
	}
	return d.of.Collection.Path + "/" + url.PathEscape(id)
}

// Remove deletes an object, which the service has forgotten when it answers.
func (d *Driver[Spec, Filter, More]) Remove(ctx context.Context, id string) (gone bool, err error) {
	err = d.Client.Do(ctx, cloud.Call{Service: d.of.Info.Service, Method: http.MethodDelete, Path: d.Path(id)})
	return err == nil, err
}

func (d *Driver[Spec, Filter, More]) send(ctx context.Context, method, path string, body map[string]any) error {
	return d.Client.Do(ctx, cloud.Call{Service: d.of.Info.Service, Method: method, Path: path, Body: body, Secret: d.of.Collection.Secret})
}

func (d *Driver[Spec, Filter, More]) microversion(ctx context.Context) (string, error) {
	if d.of.Collection.Microversion == "" {
		return "", nil
	}
	return d.Client.Microversion(ctx, d.of.Info.Service, d.of.Collection.Microversion)
}

// read takes an object out of an answer.
func (d *Driver[Spec, Filter, More]) read(answer table.Attributes) (*State[Spec, More], error) {
	s := new(State[Spec, More])
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
	var err error
	if d.of.labelled() {
		if answer, s.Standard, err = unlabelled(answer); err == nil {
			s.Mark = s.Standard.Mark()
		}
	} else {
		answer, s.Claim, err = d.of.Mark.Take(answer)
	}
	if err != nil {
		return nil, err
	}
	if d.of.Collection.Project != "" {
		if err := text(d.of.Collection.Project, &s.Project); err != nil {
			return nil, fmt.Errorf("attribute %s: %w", d.of.Collection.Project, err)
		}
	}
	return s, s.Read(answer)
}

// Read takes an object out of what a service says of it other than in the body of an answer.
func (d *Driver[Spec, Filter, More]) Read(said table.Attributes) (*State[Spec, More], error) {
	return d.read(said)
}
