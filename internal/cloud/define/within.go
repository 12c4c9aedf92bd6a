package define

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// allWithin reads the collections below other objects. One whose object was deleted
// meanwhile holds nothing.
func (d *Driver[Spec, Filter, More]) allWithin(ctx context.Context, call cloud.Call) (all []*State[Spec, More], err error) {
	c, w := d.of.Collection, d.of.Collection.Within
	if w.Find == nil {
		return d.allAtOnce(ctx, call)
	}
	projects, err := w.Find(ctx, d.Client)
	if err != nil {
		return nil, err
	}
	for _, parent := range slices.Sorted(maps.Keys(projects)) {
		call.Path = w.Path + "/" + url.PathEscape(parent) + "/" + c.Path
		err := cloud.Each(ctx, d.Client, call, cmp.Or(c.Field, c.Path), func(answer table.Attributes) error {
			answer, err := c.below(answer, parent, projects[parent])
			if err != nil {
				return err
			}
			s, err := d.read(answer)
			all = append(all, s)
			return err
		})
		if err != nil && !errors.Is(err, kind.ErrGone) {
			return nil, err
		}
	}
	return all, nil
}

// allAtOnce reads the collections below other objects from the one list of all.
func (d *Driver[Spec, Filter, More]) allAtOnce(ctx context.Context, call cloud.Call) (all []*State[Spec, More], err error) {
	c := d.of.Collection
	call.Path = c.Path
	err = cloud.Each(ctx, d.Client, call, cmp.Or(c.Field, c.Path), func(answer table.Attributes) error {
		var parent, project string
		if err := errors.Join(json.Unmarshal(answer[c.Within.Attribute], &parent), json.Unmarshal(answer[cmp.Or(c.Project, "project_id")], &project)); err != nil {
			return fmt.Errorf("%s and project: %w", c.Within.Attribute, err)
		}
		answer, err := c.below(answer, parent, project)
		if err != nil {
			return err
		}
		s, err := d.read(answer)
		all = append(all, s)
		return err
	})
	return all, err
}

// place is where an object is made, with what its path says taken out of the body.
func (c Collection) place(body map[string]any) (path, parent string, rest map[string]any) {
	if c.Within == nil {
		return c.Path, "", body
	}
	rest = maps.Clone(body)
	parent, _ = rest[c.Within.Attribute].(string)
	delete(rest, c.Within.Attribute)
	return c.Within.Path + "/" + url.PathEscape(parent) + "/" + c.Path, parent, rest
}

// below completes an answer by what its path says.
func (c Collection) below(answer table.Attributes, parent, project string) (table.Attributes, error) {
	if inner, wrapped := answer[c.Singular]; wrapped {
		answer = nil
		if err := json.Unmarshal(inner, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Singular, err)
		}
	}
	answer = maps.Clone(answer) // others may have the same
	at, own := cmp.Or(c.ID, "id"), ""
	if err := json.Unmarshal(answer[at], &own); err != nil {
		return nil, fmt.Errorf("ID: %w", err)
	}
	for name, value := range map[string]string{at: parent + "/" + own, c.Within.Attribute: parent, cmp.Or(c.Project, "project_id"): project} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		answer[name] = text
	}
	return answer, nil
}
