package engine

import (
	"context"
	"maps"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Trace asks the cloud who changed the object of a step, and when. ok is false
// when it does not report it. It may be called while a pass runs.
func (e *Engine) Trace(ctx context.Context, s plan.Step) (t kind.Trace, ok bool) {
	drv, there := e.at(&s, s.Through())
	if drv == nil {
		return kind.Trace{}, false
	}
	have := kind.Live[any]{ID: s.Lost()}
	var changes []kind.Change
	if s.Have() != nil {
		have, changes = *there, s.Changes
	}
	if have.ID == "" {
		return kind.Trace{}, false
	}
	t, ok, err := drv.Trace(redact.With(ctx, s.Secrets()), have, changes)
	t.Who, t.What = s.Secrets().Text(t.Who), s.Secrets().Text(t.What)
	if err != nil && e.Log != nil {
		e.Log.Debug("who changed it is unknown", "object", s.Key.String(), "error", hide(s.Secrets(), err))
	}
	return t, ok && err == nil
}

// forgetUnwanted drops what is remembered of objects that nobody wants any more.
func (e *Engine) forgetUnwanted(p plan.Plan) {
	wanted := make(map[string]bool, len(p.Steps))
	for i := range p.Steps {
		wanted[p.Steps[i].Identity()] = p.Steps[i].Want() != nil
	}
	maps.DeleteFunc(e.ids, func(id, _ string) bool { return !wanted[id] })
}
