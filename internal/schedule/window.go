package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Window is a repeated period. It begins at each moment of a schedule and has a fixed length, whatever clocks
// show: eight hours are eight hours, also in the night in which summer time begins.
type Window struct {
	begins Schedule
	length time.Duration
}

// longestWindow is the maximum length of a window.
const longestWindow = 31 * 24 * time.Hour

// ParseWindow parses a window: a cron expression of five fields, its length, and the time zone. "" means the
// time zone of the process. Its errors say how to write a window.
func ParseWindow(spec, lasts, zone string) (Window, error) {
	if strings.HasPrefix(strings.TrimSpace(spec), "@every") || strings.Contains(spec, "TZ=") {
		return Window{}, errors.New(`a window begins at times such as "0 22 * * 1-5", and its time zone is a field of its own`)
	}
	if zone != "" {
		if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
			return Window{}, fmt.Errorf("there is no time zone %q; write a name such as Europe/Berlin", zone)
		}
		spec = "CRON_TZ=" + zone + " " + strings.TrimSpace(spec)
	}
	begins, err := Parse(spec)
	if err != nil {
		return Window{}, err
	}
	d, err := time.ParseDuration(lasts)
	if err != nil || d < time.Minute || d > longestWindow {
		return Window{}, fmt.Errorf("a window lasts from one minute to %s, such as 8h; the given duration is %q", longestWindow, lasts)
	}
	return Window{begins, d}, nil
}

// Open reports whether a moment is within the window, and returns the end of the window.
func (w Window) Open(at time.Time) (until time.Time, open bool) {
	for begin := w.begins.Next(at.Add(-w.length)); !begin.IsZero() && !begin.After(at); begin = w.begins.Next(begin) {
		until, open = begin.Add(w.length), true
	}
	return until, open
}

// Next returns the next time at which the window opens after a moment, or the zero time if it never opens.
func (w Window) Next(at time.Time) time.Time { return w.begins.Next(at) }

// Windows decide when a change is allowed. The moment must be within a window of Allow, if there are any, and
// within no window of Deny.
type Windows struct{ Allow, Deny []Window }

// maxJumps is the number of consecutive windows that are checked to find the end of a closed time.
const maxJumps = 1000

// Open reports whether a change is allowed at a moment. until is the time up to which this does not change. If a
// change is allowed, the zero time means forever. If it is not allowed, the zero time means that no end was
// found.
func (w Windows) Open(at time.Time) (until time.Time, open bool) {
	if until, denied := latest(w.Deny, at); denied {
		return w.reopens(until), false
	}
	if len(w.Allow) > 0 {
		if until, open = latest(w.Allow, at); !open {
			return w.reopens(at), false
		}
	}
	for _, d := range w.Deny {
		if next := d.Next(at); !next.IsZero() && (until.IsZero() || next.Before(until)) {
			until = next
		}
	}
	return until, true
}

// reopens returns the first moment, not before at, at which a change is allowed.
func (w Windows) reopens(at time.Time) time.Time {
	for range maxJumps {
		if until, denied := latest(w.Deny, at); denied {
			at = until
			continue
		}
		if _, open := latest(w.Allow, at); open || len(w.Allow) == 0 {
			return at
		}
		if at = soonest(w.Allow, at); at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// latest returns the latest end of the windows that are open.
func latest(list []Window, at time.Time) (until time.Time, open bool) {
	for _, w := range list {
		if end, is := w.Open(at); is && end.After(until) {
			until, open = end, true
		}
	}
	return until, open
}

func soonest(list []Window, at time.Time) (next time.Time) {
	for _, w := range list {
		if n := w.Next(at); !n.IsZero() && (next.IsZero() || n.Before(next)) {
			next = n
		}
	}
	return next
}
