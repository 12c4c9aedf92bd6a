package kind

import "errors"

// ErrStillPending says that the cloud still works on the objects of [Listing.Waiting], so that the last list is recent enough. It lets a driver
// leave out the requests for everything else that it would list.
var ErrStillPending = errors.New("the cloud still works on it")

// Waiting says which objects a pass waits for. The zero value means none.
type Waiting struct {
	// IDs are the objects, which were pending in the last list.
	IDs []string
	// Together is true if nothing can be done before the cloud has finished with all of them. Otherwise a step may wait for each of them.
	Together bool
}

// Still reports whether the cloud still works on the objects, so that a list would be of no use yet. The cloud has to work on all of them, or on at
// least one if they are awaited together. If an object is gone or has failed, a list is needed at once. phase returns the phase of an object, or
// false if the cloud does not show the object.
func (w Waiting) Still(phase func(id string) (Phase, bool)) bool {
	pending := 0
	for _, id := range w.IDs {
		now, exists := phase(id)
		switch {
		case exists && now == Pending:
			pending++
		case !exists || !w.Together || now != Ready:
			return false
		}
	}
	return pending > 0
}
