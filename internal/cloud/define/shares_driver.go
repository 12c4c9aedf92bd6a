package define

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// shares reports whether the object is to be shared with anybody.
func (d *NeutronDriver[Spec, Filter, More]) shares(w kind.Want[*Spec]) bool {
	s := sharesIn(w.Spec)
	return s != nil && len(s.SharedWith) > 0
}

// isShared reports whether any other project is to see the object.
func (d *NeutronDriver[Spec, Filter, More]) isShared(w kind.Want[*Spec]) bool {
	return d.shares(w) || d.fields.Present("shared", w.Spec) == true
}

func (d *NeutronDriver[Spec, Filter, More]) joinShares(ctx context.Context, all []NeutronState[Spec, More]) error {
	own := map[string]*Shares{}
	for i := range all {
		if s := sharesIn(&all[i].Spec); s != nil && all[i].ProjectID == d.Client.ProjectID {
			own[all[i].ID] = s
		}
	}
	return d.Resource.Sharing.join(ctx, d.Client, own)
}

// Share shares an object with the projects that the manifest lists, if it has such a list.
func (d *NeutronDriver[Spec, Filter, More]) Share(ctx context.Context, w kind.Want[*Spec], s *NeutronState[Spec, More]) error {
	asked := sharesIn(w.Spec)
	if asked == nil || asked.SharedWith == nil {
		return nil
	}
	ids := asked.ids(w.Ref)
	if err := d.Resource.Sharing.set(ctx, d.Client, s.ID, ids); err != nil {
		return err
	}
	sharesIn(&s.Spec).setTo(ids)
	return nil
}

// createShared makes an object, shares it, and says last that all is done: a kill in between
// leaves one that is known to be half-made.
func (d *NeutronDriver[Spec, Filter, More]) createShared(ctx context.Context, w kind.Want[*Spec]) (*NeutronState[Spec, More], error) {
	made, err := d.Post(ctx, d.Creation(w), mark.Begun(w.Mark), d.Labels(w))
	if err == nil {
		err = d.Share(ctx, w, made)
	}
	if err != nil {
		return nil, err
	}
	return made, d.Finish(ctx, made, nil, w.Mark, d.Labels(w))
}

// shares reports whether the object is to be shared with anybody.
func (d *PlainDriver[Spec, Filter, More]) shares(w kind.Want[*Spec]) bool {
	s := sharesIn(w.Spec)
	return s != nil && len(s.SharedWith) > 0
}

func (d *PlainDriver[Spec, Filter, More]) joinShares(ctx context.Context, all []*PlainState[Spec, More]) error {
	own := map[string]*Shares{}
	for _, one := range all {
		if s := sharesIn(&one.Spec); s != nil && one.Project == d.Client.ProjectID {
			own[one.ID] = s
		}
	}
	return d.of.Sharing.join(ctx, d.Client, own)
}

// finishShared shares an object that was made as half-made, and says that all is done.
func (d *PlainDriver[Spec, Filter, More]) finishShared(ctx context.Context, w kind.Want[*Spec], made *PlainState[Spec, More]) error {
	ids := sharesIn(w.Spec).ids(w.Ref)
	if err := d.of.Sharing.set(ctx, d.Client, made.ID, ids); err != nil {
		return err
	}
	sharesIn(&made.Spec).setTo(ids)
	err := d.Write(ctx, PlainChange[Spec, More]{Want: w, Have: d.live(made), Fields: map[string]any{}})
	made.Mark = &w.Mark
	return err
}
