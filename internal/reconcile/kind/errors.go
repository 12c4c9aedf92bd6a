package kind

import (
	"errors"
	"fmt"
	"time"
)

// The classes of errors that a driver returns. The class says what the engine does next. An error
// without a class is transient: the engine lists the cloud again, backs off and retries a few
// times.
var (
	// ErrBusy: the object, or one that it depends on, is in use or locked. The engine waits, lists
	// again and retries.
	ErrBusy = errors.New("busy or in use")
	// ErrNotYet: another object is missing, and this pass may still create it. The engine retries
	// while the pass carries out other steps, and once more after that.
	ErrNotYet = errors.New("something is missing")
	// ErrRejected: the cloud refuses this every time. A person must change the manifest, the quota
	// or the credentials.
	ErrRejected = errors.New("rejected by the cloud")
	// ErrForbidden: the credentials lack the permission. An error of this class is an ErrRejected,
	// too.
	ErrForbidden = errors.New("not allowed")
	// ErrExhausted: the quota, or the pool of addresses, that the object needs is exceeded. It comes
	// with ErrRejected, and applies to every object that needs the same quota or pool.
	ErrExhausted = errors.New("quota exceeded")
	// ErrGone: the object no longer exists. The engine lists again.
	ErrGone = errors.New("gone")
	// ErrUnanswered: no answer came in time, and the cloud may still be handling the request. The
	// request may still create the object, so the engine waits for that object before it sends the
	// request again.
	ErrUnanswered = errors.New("no answer in time")
	// ErrUnsent: the last request of the step was not sent at all, for example because the pass ended
	// while the request waited for its turn. The cloud carries out nothing later.
	ErrUnsent = errors.New("not sent")
	// ErrNoService: the cloud does not offer the service at all.
	ErrNoService = errors.New("the cloud does not offer it")
)

// ClassesOf returns the classes above that an error has.
func ClassesOf(err error) (classes []error) {
	for _, class := range []error{ErrBusy, ErrNotYet, ErrRejected, ErrForbidden, ErrExhausted, ErrGone, ErrUnanswered, ErrUnsent, ErrNoService} {
		if errors.Is(err, class) {
			classes = append(classes, class)
		}
	}
	return classes
}

// RetryAfterError is a transient error whose server said when to retry.
type RetryAfterError struct {
	After time.Duration
	Err   error
}

// Error implements error.
func (e *RetryAfterError) Error() string {
	return fmt.Sprintf("%v (the server asks to wait %s)", e.Err, e.After)
}

// Unwrap returns the error that the server answered with.
func (e *RetryAfterError) Unwrap() error { return e.Err }

// Unquoted is an error that quotes text of another program, and that can be shown without the quoted
// text.
type Unquoted interface {
	error
	// Unquoted returns the message without the quoted text.
	Unquoted() string
}
