package volume

import (
	"context"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// Trace is the time of the last change. Cinder does not count metadata as a
// part of the volume, and does not tell who it was.
func (d driver) Trace(_ context.Context, have reconcile.Live[*State], changes []reconcile.Change) (t reconcile.Trace, ok bool, err error) {
	if have.State == nil || !slices.ContainsFunc(changes, touches) {
		return t, false, nil
	}
	t.When, err = time.Parse(timeFormat, have.State.UpdatedAt)
	return t, err == nil, err
}

func touches(c reconcile.Change) bool {
	return c.Field != "spec.resource.metadata" && c.Field != reconcile.MarkField
}
