package rabbit

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
)

const (
	firstPause = time.Second
	longPause  = time.Minute
	// stable is how long a connection must have lasted for the next pause to be short again.
	stable = time.Minute
)

// State is the state of a reader.
type State struct {
	// Reading is true while the messages of at least one exchange arrive.
	Reading bool
	// Missing are the exchanges that do not exist. A service creates its exchange with its first notification.
	Missing []string
	// Err says why nothing is read; nil if that is unknown.
	Err error
}

// Reader reads the notifications of one virtual host until its context ends. The functions are called by one goroutine at a time, and must return
// quickly.
type Reader struct {
	Server
	// Received is called with each message.
	Received func(body []byte)
	// Missed is called when messages may have been lost: after the connection was established, and if there are too many of them.
	Missed func()
	// Changed is called when the state changes.
	Changed func(State)
	Log     *slog.Logger

	bindAgain time.Duration // 0 for the default
	answers   time.Duration // limits requests to the server; 0 for openTime
	tried     int           // counts the nodes that were tried
	last      State
}

// Serve reads until ctx ends. A connection that ends is opened again, after a pause that grows with every failure.
func (r *Reader) Serve(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		began := time.Now()
		err := r.read(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > stable {
			failures = 0
		}
		failures++
		pause := backoff.Spread(backoff.Pause(firstPause, longPause, failures))
		r.report(State{Err: err})
		r.Log.Debug("the connection to RabbitMQ has ended", "in", pause, "error", err)
		if backoff.Wait(ctx, pause) != nil {
			return
		}
	}
}

// report passes on a state that differs from the last one.
func (r *Reader) report(s State) {
	same := s.Reading == r.last.Reading && len(s.Missing) == len(r.last.Missing) && textOf(s.Err) == textOf(r.last.Err)
	if r.last = s; !same {
		r.Changed(s)
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

var errNoNode = errors.New("there is no address of a server")

// address returns the node to try next.
func (r *Reader) address() (string, error) {
	if len(r.Addresses) == 0 {
		return "", errNoNode
	}
	r.tried++
	return r.Addresses[(r.tried-1)%len(r.Addresses)], nil
}
