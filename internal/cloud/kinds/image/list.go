package image

import (
	"context"
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const (
	inPages = "?limit=1000"
	// everyVisibility is the query of what Glance lists by default and of the community images. (glance/db/sqlalchemy/api.py: image_get_all)
	everyVisibility = inPages + "&visibility=all"
	// lacksAll says that a Glance does not know this visibility. It then answers 400. (glance/api/v2/images.py: _get_filters)
	lacksAll = "images with visibility=all"
)

// listAll reads all images that the project can use, by one list, or by two from an older Glance.
func listAll(ctx context.Context, d driver) ([]*state, error) {
	if !d.Client.Lacks(lacksAll) {
		all, err := d.Find(ctx, everyVisibility)
		if !errors.Is(err, kind.ErrRejected) {
			return all, err
		}
	}
	usual, err := d.Find(ctx, inPages)
	if err != nil {
		return nil, err
	}
	others, err := d.Find(ctx, inPages+"&visibility="+community)
	if err != nil {
		return nil, err
	}
	d.Client.Lack(lacksAll)
	return slices.Concat(usual, others), nil
}
