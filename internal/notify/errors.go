package notify

import (
	"errors"

	"github.com/stackreeve/stackreeve/internal/outbox"
)

// These are the classes of a receiver's errors, with their consequence:
//
//	ErrRefused       a person must correct the address, the credentials or the message
//	ErrUnavailable   try again later
var (
	ErrRefused     = errors.New("refused")
	ErrUnavailable = errors.New("unavailable")
)

// Judge returns the verdict of an outbox on an error of a receiver.
func Judge(err error) outbox.Verdict { return outbox.Verdict{Away: errors.Is(err, ErrUnavailable)} }
