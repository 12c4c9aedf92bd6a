package kind

import (
	"errors"
	"fmt"
	"time"
)

// The classes of errors a driver returns, by what the engine does next. An
// error of none of them is transient: the engine lists the cloud again,
// backs off and tries again a few times.
var (
	// ErrBusy: the object, or one that it depends on, is in use or locked. Wait,
	// observe, try again.
	ErrBusy = errors.New("busy or in use")
	// ErrNotYet: something else has to be there first, which this very pass may make.
	// Try again as long as the pass does anything else, and once more after that.
	ErrNotYet = errors.New("something is missing")
	// ErrRejected: the cloud will not do this however often it is asked. A
	// person must change the manifest, the quota or the credentials.
	ErrRejected = errors.New("rejected by the cloud")
	// ErrForbidden: these credentials may not. It comes with ErrRejected.
	ErrForbidden = errors.New("not allowed")
	// ErrUsedUp: the quota, or the addresses, of which the object needs some are used
	// up. It comes with ErrRejected, and holds for every object that needs the same.
	ErrUsedUp = errors.New("quota exceeded")
	// ErrGone: the object is not there any more. Observe.
	ErrGone = errors.New("gone")
	// ErrUnanswered: no answer came, or none in time, and the cloud may be at work on the request
	// still. What it makes is waited for before it is asked for again.
	ErrUnanswered = errors.New("not answered in time")
	// ErrNoService: the cloud does not offer the service at all.
	ErrNoService = errors.New("the cloud does not offer it")
)

// ClassesOf are the classes above that an error is of.
func ClassesOf(err error) (of []error) {
	for _, class := range []error{ErrBusy, ErrNotYet, ErrRejected, ErrForbidden, ErrUsedUp, ErrGone, ErrUnanswered, ErrNoService} {
		if errors.Is(err, class) {
			of = append(of, class)
		}
	}
	return of
}

// RetryAfterError is a transient error whose server said when to come back.
type RetryAfterError struct {
	After time.Duration
	Err   error
}

// Error implements error.
func (e *RetryAfterError) Error() string {
	return fmt.Sprintf("%v (the server asks to wait %s)", e.Err, e.After)
}

// Unwrap gives the error the server answered with.
func (e *RetryAfterError) Unwrap() error { return e.Err }

// Unquoted is an error that repeats what somebody else said, and can be shown
// without that.
type Unquoted interface {
	error
	// Unquoted is the error with our own message.
	Unquoted() string
}
