package define

import (
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

// allWithin reads the collections below other objects. It reads one list of all objects, or one list for each
// parent that has objects.
func (d *Driver[Spec, Filter, More]) allWithin(ctx context.Context, call cloud.Call) (all []*State[Spec, More], err error) {
	c, w := d.of.Collection, d.of.Collection.Within
	if w.Find == nil {
		call.Path = c.Path
		return d.each(ctx, call, c.belowSaid)
	}
	projects, err := w.Find(ctx, d.Client)
	if err != nil {
		return nil, err
	}
	for _, parent := range slices.Sorted(maps.Keys(projects)) {
		call.Path = w.Path + "/" + url.PathEscape(parent) + "/" + c.Path
		part, err := d.each(ctx, call, func(answer table.Attributes) (table.Attributes, error) {
			return c.below(answer, parent, projects[parent])
		})
		if err != nil && !errors.Is(err, kind.ErrGone) { // a parent that was deleted meanwhile has no objects
			return nil, err
		}
		all = append(all, part...)
	}
	return all, nil
}

// place returns the path at which an object is created. It removes the parent from the body, because the path
// contains it.
func (c Collection) place(body map[string]any) (path, parent string, rest map[string]any) {
	if c.Within == nil {
		return c.Path, "", body
	}
	rest = maps.Clone(body)
	parent, _ = rest[c.Within.Attribute].(string)
	delete(rest, c.Within.Attribute)
	return c.Within.Path + "/" + url.PathEscape(parent) + "/" + c.Path, parent, rest
}

// belowSaid calls [Collection.below] with the parent and the project that the answer contains.
func (c Collection) belowSaid(answer table.Attributes) (table.Attributes, error) {
	var parent, project string
	if err := errors.Join(json.Unmarshal(answer[c.Within.Attribute], &parent), json.Unmarshal(answer[c.Project], &project)); err != nil {
		return nil, fmt.Errorf("%s and project: %w", c.Within.Attribute, err)
	}
	return c.below(answer, parent, project)
}

// below adds the parent and the project to the answer about an object. It also puts the parent's ID before the
// object's ID.
func (c Collection) below(answer table.Attributes, parent, project string) (table.Attributes, error) {
	answer, err := c.unwrapped(answer)
	if err != nil {
		return nil, err
	}
	answer = maps.Clone(answer) // other clients may share it
	at, own := c.ID, ""
	if err := json.Unmarshal(answer[at], &own); err != nil {
		return nil, fmt.Errorf("ID: %w", err)
	}
	for name, value := range map[string]string{at: parent + "/" + own, c.Within.Attribute: parent, c.Project: project} {
		answer[name] = encoded(value)
	}
	return answer, nil
}
