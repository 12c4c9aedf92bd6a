package define

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

func (d *Driver[Spec, Filter, More]) joinShares(ctx context.Context, all []*State[Spec, More]) error {
	own := map[string]*Shares{}
	for _, one := range all {
		if s := sharesIn(&one.Spec); s != nil && one.Project == d.Client.ProjectID {
			own[one.ID] = s
		}
	}
	return d.of.Sharing.join(ctx, d.Client, own)
}

// Share shares an object with the projects that the manifest lists, if it has such a list.
func (d *Driver[Spec, Filter, More]) Share(ctx context.Context, w typed.Want[Spec], s *State[Spec, More]) error {
	asked := sharesIn(w.Spec)
	if asked == nil || asked.SharedWith == nil {
		return nil
	}
	ids := asked.ids(w.Ref)
	if err := d.of.Sharing.set(ctx, d.Client, s.ID, ids); err != nil {
		return err
	}
	sharesIn(&s.Spec).setTo(ids)
	return nil
}
