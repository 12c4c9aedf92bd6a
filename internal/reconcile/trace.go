package reconcile

import (
	"context"
	"time"
)

// Trace is who changed an object in the cloud, as far as the cloud says.
type Trace struct {
	// When it was changed; the zero time when the cloud does not tell.
	When time.Time
	// Who did it: a name, or the ID of a user; "" when the cloud does not tell.
	Who string
	// What was done, in the cloud's own words; "" when it does not tell.
	What string
}

// Tracer is implemented by drivers of kinds about whose objects the cloud says
// when they were changed, and by whom. ok is false when it says nothing.
type Tracer interface {
	Trace(ctx context.Context, id string) (t Trace, ok bool, err error)
}

// Trace asks the cloud who changed the object of a step, and when. ok is false
// when it does not know.
func (e *Engine) Trace(context.Context, Step) (t Trace, ok bool) { return Trace{}, false }
