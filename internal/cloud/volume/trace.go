package volume

import (
	"context"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Trace is the time of the last change. Cinder does not count metadata as a
// part of the volume, and does not tell who it was.
func (d driver) Trace(_ context.Context, have kind.Live[*State], changes []kind.Change) (t kind.Trace, ok bool, err error) {
	if have.State == nil || !slices.ContainsFunc(changes, touches) {
		return t, false, nil
	}
	t.When, err = time.Parse(timeFormat, have.State.UpdatedAt)
	return t, err == nil, err
}

func touches(c kind.Change) bool {
	return c.Field != "spec.resource.metadata" && c.Field != kind.MarkField
}
