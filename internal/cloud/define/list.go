package define

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// parallelLists is how many lists are read at the same time.
const parallelLists = 8

// all reads all objects of the kind. managed is [kind.Listing.Managed].
func (d *Driver[Spec, Filter, More]) all(ctx context.Context, managed bool) (all []*State[Spec, More], err error) {
	if err := d.Client.Offers(ctx, d.of.Collection.Extension); err != nil {
		return nil, err
	}
	if d.of.All != nil {
		return d.of.All(ctx, d)
	}
	call := cloud.Call{Service: d.of.Info.Service}
	if call.Microversion, err = d.microversion(ctx); err != nil {
		return nil, err
	}
	if d.of.Collection.Within != nil {
		return d.allWithin(ctx, call)
	}
	paths := d.of.Collection.Lists
	if d.of.Lists != nil {
		if paths, err = d.of.Lists(ctx, d); err != nil {
			return nil, err
		}
	}
	parts := make([][]*State[Spec, More], len(paths))
	var group errgroup.Group // without a context that the first error ends: other clients may share a list
	group.SetLimit(parallelLists)
	for i, path := range paths {
		group.Go(func() (err error) {
			part := call
			part.Path = path
			parts[i], err = d.listed(ctx, part, managed)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(parts...), nil
}

// listed reads the list at a path. If the cloud refuses to list all objects, it lists the user's
// own. These are enough to find an object to import, but do not prove that an object does not
// exist.
func (d *Driver[Spec, Filter, More]) listed(ctx context.Context, call cloud.Call, managed bool) ([]*State[Spec, More], error) {
	objects, err := d.each(ctx, call)
	if d.of.Collection.Own == "" || !errors.Is(err, kind.ErrForbidden) {
		return objects, err
	}
	if managed {
		return nil, d.mayHide(err)
	}
	call.Path = d.of.Collection.Own
	return d.each(ctx, call)
}

func (d *Driver[Spec, Filter, More]) mayHide(err error) error {
	return fmt.Errorf("%w; the cloud may hide a %s that this stack manages: give the credentials the right to list all objects of this kind, or only import them (managementPolicy: unmanaged)", err, d.of.Info.Kind)
}

// Find lists the objects of the collection that match a query ("?device_owner=…").
func (d *Driver[Spec, Filter, More]) Find(ctx context.Context, query string) ([]*State[Spec, More], error) {
	return d.each(ctx, cloud.Call{Service: d.of.Info.Service, Path: d.of.Collection.Path + query})
}

// each reads the objects of a list. Each object is read once for all clients that share the list, and copied for this one.
func (d *Driver[Spec, Filter, More]) each(ctx context.Context, call cloud.Call, complete ...func(table.Attributes) (table.Attributes, error)) (all []*State[Spec, More], err error) {
	as := cloud.Reading[table.Attributes, *State[Spec, More]]{As: d.of.Info.Kind, Read: func(answer table.Attributes) (_ *State[Spec, More], err error) {
		for _, f := range complete {
			if answer, err = f(answer); err != nil {
				return nil, err
			}
		}
		return d.Read(answer)
	}}
	err = cloud.EachRead(ctx, d.Client, call, d.of.Collection.Field, as, func(s *State[Spec, More]) error {
		all = append(all, s.copied())
		return nil
	})
	return all, err
}

// copied returns a copy whose fields and mark may be changed. Slices, maps and values behind pointers are shared with s.
func (s *State[Spec, More]) copied() *State[Spec, More] {
	own := *s
	if s.Mark != nil {
		own.Mark = new(kind.Mark)
		*own.Mark = *s.Mark
	}
	return &own
}
