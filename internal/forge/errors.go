package forge

import (
	"errors"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbox"
)

// The class of an error of a forge decides what the caller does next.
//
//	ErrRefused       a person has to correct credentials, permissions or the request
//	ErrNotFound      the object does not exist, or the credentials may not see it
//	ErrUnavailable   the caller tries again later
//	ErrTooBig        the caller requests a smaller part of the list, or tries again later
//	ErrUnsupported   the caller works without the feature
//	ErrTooMany       the caller may use the part of the list that came with the error; it is an ErrRefused, too
//	*LimitedError    the caller tries again, but not before the time in the error
var (
	ErrRefused     = errors.New("refused")
	ErrNotFound    = errors.New("not found")
	ErrUnavailable = errors.New("unavailable")
	ErrUnsupported = errors.New("not supported")
	ErrTooBig      = fmt.Errorf("%w: the forge's answer is too big", ErrUnavailable)
	ErrTooMany     = fmt.Errorf("%w: there are too many to read", ErrRefused)
)

// MaxConversation is the number of bytes that are read of a conversation. There is a limit because
// anybody may write long comments.
const MaxConversation = 16 << 20

// LimitedError says that too many requests were sent: the forge's limit or the configured budget is
// reached.
type LimitedError struct {
	Until  time.Time // when requests are allowed again
	Reason string
}

// Error implements error.
func (e *LimitedError) Error() string {
	return fmt.Sprintf("limited until %s: %s", e.Until.UTC().Format(time.TimeOnly), e.Reason)
}

// Judge returns the verdict with which an outbox handles an error of a forge.
func Judge(err error) outbox.Verdict {
	var limited *LimitedError
	if errors.As(err, &limited) {
		return outbox.Verdict{Until: limited.Until}
	}
	return outbox.Verdict{Away: errors.Is(err, ErrUnavailable), Quiet: errors.Is(err, ErrUnsupported)}
}
