package reconcile

import (
	"context"
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/redact"
)

// Trace is who changed an object in the cloud, as far as the cloud says.
type Trace struct {
	// When it was changed, as the cloud's clock has it.
	When time.Time
	// Who did it: a name, or the ID of a user; "" when the cloud does not tell.
	Who string
	// What was done, in the cloud's own words; "" when it does not tell.
	What string
}

// Tracer is implemented by drivers of kinds about whose objects the cloud says
// more than when they were last changed (see [Live.Updated]), or less.
type Tracer[State any] interface {
	// Trace tells who brought about changes. have is the object as it was when
	// they were noticed; of one that is gone only the ID is known, and its State
	// and changes are nil. ok is false when the cloud does not tell.
	Trace(ctx context.Context, have Live[*State], changes []Change) (t Trace, ok bool, err error)
}

// Trace asks the cloud who changed the object of a step, and when. ok is false
// when it does not tell. It may be called while a pass runs.
func (e *Engine) Trace(ctx context.Context, s Step) (t Trace, ok bool) {
	k := e.kind(s.Key.Kind)
	if k == nil || k.driver() == nil {
		return Trace{}, false
	}
	have := Live[any]{ID: s.lost}
	var changes []Change
	if s.have != nil {
		have, changes = *s.have, s.Changes
	}
	if have.ID == "" {
		return Trace{}, false
	}
	t, ok, err := k.driver().trace(redact.With(ctx, s.secrets), have, changes)
	t.Who, t.What = s.secrets.Text(t.Who), s.secrets.Text(t.What)
	if err != nil && e.Log != nil {
		e.Log.Debug("who changed it cannot be told", "object", s.Key.String(), "error", hide(s.secrets, err))
	}
	return t, ok && err == nil
}

// forget drops what is remembered of objects that nobody wants any more.
func (e *Engine) forget(p Plan) {
	wanted := make(map[string]bool, len(p.Steps))
	for i := range p.Steps {
		wanted[p.Steps[i].id()] = p.Steps[i].want != nil
	}
	maps.DeleteFunc(e.ids, func(id, _ string) bool { return !wanted[id] })
}
