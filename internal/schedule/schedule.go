// Package schedule computes when repeated work is due. It parses cron expressions, and skips no moment when
// summer time begins. A random delay prevents that many agents send requests to one server at the same time.
//
// It does not depend on the work.
package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Schedule is a cron expression. The zero Schedule has no moments.
type Schedule struct {
	spec string
	cron cron.Schedule
}

// String returns the expression from which the schedule was parsed.
func (s Schedule) String() string { return s.spec }

// Next returns the first moment after t, or the zero time if there is none.
func (s Schedule) Next(t time.Time) time.Time {
	if s.cron == nil {
		return time.Time{}
	}
	next := s.cron.Next(t)
	if end := s.repeated(next); !end.IsZero() {
		next = s.cron.Next(end.Add(-time.Second)) // moments are whole seconds
	}
	if late := s.skipped(t); !late.IsZero() && (next.IsZero() || late.Before(next)) {
		return late
	}
	return next
}

// skipped finds a gap after t: clocks are put forward, and the gap contains a moment of the schedule. It returns
// the end of the gap. So in the night in which summer time begins, "30 2 * * *" is due once, but late. The
// result is zero if the next moment is before any such gap.
func (s Schedule) skipped(t time.Time) time.Time {
	fields, ok := s.cron.(*cron.SpecSchedule)
	if !ok {
		return time.Time{}
	}
	place := fields.Location
	if place == time.Local {
		place = t.Location()
	}
	plain := *fields
	plain.Location = time.UTC
	shown := plain.Next(sameClockTime(t.In(place), time.UTC)) // the time on a clock without summer time
	real := sameClockTime(shown, place)
	begin, end := real.ZoneBounds()
	switch seen := sameClockTime(real, time.UTC); {
	case shown.IsZero() || seen.Equal(shown):
		return time.Time{}
	case seen.Before(shown): // Go may choose the time before or after the gap
		begin = end
	}
	if !begin.After(t) {
		return time.Time{}
	}
	return begin
}

// repeated handles clocks that are put back, so that they show an hour twice. If moment is in the second hour
// and was due in the first, repeated returns the end of the second hour. So "30 2 * * *" is due only once in the
// night in which summer time ends. A schedule for every hour also runs in the second hour: then the result is
// the zero time, as for all other moments.
func (s Schedule) repeated(moment time.Time) (end time.Time) {
	const everyHour = 1<<24 - 1
	fields, ok := s.cron.(*cron.SpecSchedule)
	if !ok || moment.IsZero() || fields.Hour&everyHour == everyHour {
		return time.Time{}
	}
	if fields.Location != time.Local {
		moment = moment.In(fields.Location)
	}
	begin, _ := moment.ZoneBounds()
	if begin.IsZero() {
		return time.Time{}
	}
	_, before := begin.Add(-time.Second).Zone()
	_, after := begin.Zone()
	end = begin.Add(time.Duration(before-after) * time.Second)
	if !moment.Before(end) {
		return time.Time{}
	}
	return end
}

// sameClockTime returns the moment at which a clock in another place shows the same time as t.
func sameClockTime(t time.Time, place *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), place)
}

const (
	howToWrite  = `write an interval such as "@every 1m", or five fields (minute hour day month weekday) such as "*/5 * * * *"`
	minInterval = time.Second
	maxSpec     = 200 // bytes
	maxShown    = 80  // the maximum number of bytes of it in an error
)

// Error is the error that a text is not a schedule, with the reason.
type Error struct {
	Spec    string
	Problem string // such as "is empty"
	Fix     string // how to write a schedule
	cause   error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("schedule %q %s; %s", printable.Clip(e.Spec, maxShown), e.Problem, e.Fix)
}

// Unwrap returns the error of the library that parses expressions, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// Parse parses a robfig/cron expression: "@every 1m", "@hourly", or five fields. Its errors are an [Error].
func Parse(spec string) (Schedule, error) {
	spec = strings.TrimSpace(spec)
	if problem := problemOf(spec); problem != "" {
		return Schedule{}, &Error{Spec: spec, Problem: problem, Fix: howToWrite}
	}
	parsed, err := cron.ParseStandard(spec)
	if err != nil {
		return Schedule{}, &Error{Spec: spec, Problem: fmt.Sprintf("cannot be read (%s)", err), Fix: howToWrite, cause: err}
	}
	s := Schedule{spec: spec, cron: parsed}
	if s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Schedule{}, &Error{Spec: spec, Problem: "never comes", Fix: howToWrite}
	}
	return s, nil
}

func problemOf(spec string) string {
	switch {
	case spec == "":
		return "is empty"
	case len(spec) > maxSpec:
		return "is too long"
	case strings.HasPrefix(spec, "TZ=") || strings.HasPrefix(spec, "CRON_TZ="):
		if _, rest, ok := strings.Cut(spec, " "); !ok || strings.TrimSpace(rest) == "" {
			return "has a time zone but no time"
		}
	case strings.HasPrefix(spec, "@every "):
		every, err := time.ParseDuration(strings.TrimSpace(strings.TrimPrefix(spec, "@every ")))
		if err != nil {
			return "has an interval that cannot be read, such as 30s, 5m or 1h30m"
		}
		if every < minInterval {
			return fmt.Sprintf("is more frequent than every %s", minInterval)
		}
	}
	return ""
}
