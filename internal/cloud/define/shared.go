package define

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// sharesObjects reports whether the live objects of a kind follow from the attributes in a list alone. Then all stacks with the same login
// can use the same objects in memory.
func (d *Driver[Spec, Filter, More]) sharesObjects() bool {
	return d.of.All == nil && d.of.Join == nil && d.of.Collection.Within == nil && d.of.Lists == nil && len(d.of.Collection.Lists) == 1 && !d.of.PerStack
}

// objects reads all objects of a kind whose objects stacks can share.
func (d *Driver[Spec, Filter, More]) objects(ctx context.Context, asked kind.Listing) (*kind.Index, error) {
	ctx = cloud.At(ctx, asked.Shared)
	if err := d.Client.Offers(ctx, d.of.Collection.Extension); err != nil {
		return nil, err
	}
	call := cloud.Call{Service: d.of.Info.Service, Path: d.of.Collection.Lists[0]}
	var err error
	if call.Microversion, err = d.microversion(ctx); err != nil {
		return nil, err
	}
	var none [1]Spec
	shares := false
	if sharesIn(&none[0]) != nil && asked.Joins(sharesList) {
		if shares, err = d.Client.HasExtension(ctx, d.of.Sharing.Extension); err != nil {
			return nil, err
		}
	}
	all, err := d.liveObjects(ctx, call, shares)
	if errors.Is(err, kind.ErrForbidden) && d.of.Collection.Own != "" {
		if asked.Managed {
			return nil, d.mayHide(err)
		}
		call.Path = d.of.Collection.Own
		all, err = d.liveObjects(ctx, call, shares)
	}
	if err != nil || !shares {
		return all, err
	}
	return d.withShares(ctx, all)
}

// liveObjects reads the objects of a list. Each is made once for all clients that share the list. If shares is true, SharedWith of
// each object of the project becomes an empty list, to which withShares adds.
func (d *Driver[Spec, Filter, More]) liveObjects(ctx context.Context, call cloud.Call, shares bool) (*kind.Index, error) {
	as := cloud.Reading[table.Attributes, *kind.Live]{As: fmt.Sprint(d.of.Info.Kind, " ", d.Client.ProjectID, " ", shares), Read: func(answer table.Attributes) (*kind.Live, error) {
		s, err := d.Read(answer)
		if err != nil {
			return nil, err
		}
		if shares && s.Project == d.Client.ProjectID {
			sharesIn(&s.Spec).SharedWith = []Share{}
		}
		return untyped(d.live(s)), nil
	}}
	return cloud.LiveObjects(ctx, d.Client, call, d.of.Collection.Field, as)
}

// withShares fills in the projects with which objects of the stack's project are shared, like joinShares. Only these objects are made again.
func (d *Driver[Spec, Filter, More]) withShares(ctx context.Context, all *kind.Index) (*kind.Index, error) {
	if !slices.ContainsFunc(all.Items(), func(l *kind.Live) bool { return l.InOwnProject }) {
		return all, nil
	}
	policies, _, err := d.of.Sharing.policies(ctx, d.Client, "")
	if err != nil {
		return nil, err
	}
	again := map[string]*State[Spec, More]{}
	var ids []string
	for _, p := range policies {
		l := all.First(p.Object)
		if l == nil || !l.InOwnProject {
			continue
		}
		if again[p.Object] == nil {
			again[p.Object], ids = l.State.(*State[Spec, More]).copied(), append(ids, p.Object)
		}
		shares := sharesIn(&again[p.Object].Spec)
		shares.SharedWith = append(shares.SharedWith, Share{ProjectID: p.Target}) // the shared list is empty, without room for more
	}
	if len(ids) == 0 {
		return all, nil
	}
	more := make([]*kind.Live, len(ids))
	for i, id := range ids {
		more[i] = untyped(d.live(again[id]))
	}
	return all.Replaced(ids, func(*kind.Live) bool { return true }, more), nil
}

func untyped[State any](l typed.Live[State]) *kind.Live {
	l.Live.State = l.State
	return &l.Live
}
