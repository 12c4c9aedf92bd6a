package notify

import (
	"errors"

	"github.com/stackreeve/stackreeve/internal/outbox"
)

// What follows from an error of a receiver.
//
//	ErrRefused       a person has to correct the address, the credentials or the message
//	ErrUnavailable   try again later
var (
	ErrRefused     = errors.New("refused")
	ErrUnavailable = errors.New("unavailable")
)

// Judge says what an outbox does about an error of a receiver.
func Judge(err error) outbox.Verdict { return outbox.Verdict{Away: errors.Is(err, ErrUnavailable)} }
