package notify

import (
	"errors"

	"github.com/stackreeve/stackreeve/internal/outbox"
)

// The consequence of a receiver's error.
//
//	ErrRefused       a person must correct the address, the credentials or the message
//	ErrUnavailable   try again later
var (
	ErrRefused     = errors.New("refused")
	ErrUnavailable = errors.New("unavailable")
)

// Judge returns what an outbox does after an error of a receiver.
func Judge(err error) outbox.Verdict { return outbox.Verdict{Away: errors.Is(err, ErrUnavailable)} }
