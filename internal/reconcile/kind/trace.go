package kind

import (
	"context"
	"time"
)

// Trace is who changed an object in the cloud, as far as the cloud says.
type Trace struct {
	// When it was changed, as the cloud's clock has it.
	When time.Time
	// Who did it: a name, or the ID of a user; "" when the cloud does not report it.
	Who string
	// What was done, as the cloud calls it; "" when it does not report it.
	What string
}

// Tracer is implemented by drivers of kinds about whose objects the cloud says
// more than when they were last changed (see [Live.Updated]), or less.
type Tracer[State any] interface {
	// Trace returns who made changes. have is the object as it was when
	// they were noticed; of one that is gone only the ID is known, and its State
	// and changes are nil. ok is false when the cloud does not report it.
	Trace(ctx context.Context, have Live[State], changes []Change) (t Trace, ok bool, err error)
}
