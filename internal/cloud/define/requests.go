package define

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
)

func (d *Driver[Spec, Filter, More]) wrapped(body map[string]any) map[string]any {
	if d.of.Collection.Singular == "" {
		return body
	}
	return map[string]any{d.of.Collection.Singular: body}
}

// Path is the path of an object.
func (d *Driver[Spec, Filter, More]) Path(id string) string {
	if parent, own, ok := strings.Cut(id, "/"); ok && d.of.Collection.Within != nil {
		return d.of.Collection.Within.Path + "/" + url.PathEscape(parent) + "/" + d.of.Collection.Path + "/" + url.PathEscape(own)
	}
	return d.of.Collection.Path + "/" + url.PathEscape(id)
}

// Remove deletes an object. After a success it returns true: the object no longer exists, because the service answers only when it has
// deleted the object.
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

// Read decodes an object from a service's answer. An object without an ID is an error.
func (d *Driver[Spec, Filter, More]) Read(answer table.Attributes) (*State[Spec, More], error) {
	answer, err := d.of.Collection.unwrapped(answer)
	if err != nil {
		return nil, err
	}
	s := new(State[Spec, More])
	text := func(name string, into *string) error {
		if value := answer[name]; value != nil {
			if err := json.Unmarshal(value, into); err != nil {
				return fmt.Errorf("attribute %s: %w", name, err)
			}
		}
		return nil
	}
	if err := text(d.of.Collection.ID, &s.ID); err != nil {
		return nil, err
	}
	if d.of.Collection.Address {
		s.ID = s.ID[strings.LastIndexByte(s.ID, '/')+1:]
	}
	if s.ID == "" { // without the object, the agent would create another one
		return nil, fmt.Errorf("attribute %s: the object has no ID", d.of.Collection.ID)
	}
	if err := text("name", &s.Name); err != nil {
		return nil, err
	}
	rest, err := d.marks.read(answer, s)
	if err != nil {
		return nil, err
	}
	if d.of.Collection.Project != "" {
		if err := text(d.of.Collection.Project, &s.Project); err != nil {
			return nil, err
		}
	}
	return s, s.Object.Read(rest)
}

// unwrapped returns the object in an answer: the value of the member Singular, or the answer itself
// if there is no such member.
func (c Collection) unwrapped(answer table.Attributes) (inner table.Attributes, err error) {
	text, wrapped := answer[c.Singular]
	if !wrapped {
		return answer, nil
	}
	if err := json.Unmarshal(text, &inner); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Singular, err)
	}
	return inner, nil
}
