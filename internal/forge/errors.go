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
//	ErrNotFound      there is no such thing, or the credentials may not see it
//	ErrUnavailable   try again later
//	ErrTooBig        ask for less at a time; else try again later
//	ErrUnsupported   do without
//	ErrTooMany       use the part that came with it; it is refused, too
//	*LimitedError    try again, not before its time
var (
	ErrRefused     = errors.New("refused")
	ErrNotFound    = errors.New("not found")
	ErrUnavailable = errors.New("unavailable")
	ErrUnsupported = errors.New("not supported")
	ErrTooBig      = fmt.Errorf("%w: the forge's answer is too big", ErrUnavailable)
	ErrTooMany     = fmt.Errorf("%w: too many to be read", ErrRefused)
)

// MostConversation is how much of a conversation is read, in bytes: anybody may write
// much.
const MostConversation = 16 << 20

// LimitedError says that too many requests were made: by the forge's count, or
// by the budget that was configured.
type LimitedError struct {
	Until  time.Time // when to ask again
	Reason string
}

// Error implements error.
func (e *LimitedError) Error() string {
	return fmt.Sprintf("limited until %s: %s", e.Until.UTC().Format(time.TimeOnly), e.Reason)
}

// Judge says what an outbox does about an error of a forge.
func Judge(err error) outbox.Verdict {
	var limited *LimitedError
	if errors.As(err, &limited) {
		return outbox.Verdict{Until: limited.Until}
	}
	return outbox.Verdict{Away: errors.Is(err, ErrUnavailable), Quiet: errors.Is(err, ErrUnsupported)}
}
