package source

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/stackreeve/stackreeve/internal/backoff"
)

// Schedule says when to look next. The zero Schedule never does.
type Schedule struct {
	spec string
	cron cron.Schedule
}

// String is the expression that the schedule was made of.
func (s Schedule) String() string { return s.spec }

// Next is the first moment after t, or the zero time if there is none.
func (s Schedule) Next(t time.Time) time.Time {
	if s.cron == nil {
		return time.Time{}
	}
	next := s.cron.Next(t)
	if late := s.skipped(t); !late.IsZero() && (next.IsZero() || late.Before(next)) {
		return late
	}
	return next
}

// skipped is the end of a gap after t in which the clock is put forward past a
// moment of the schedule, so that "30 2 * * *" comes late, and once, in the night
// in which summer time begins; zero if there is none before the next moment.
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
	shown := plain.Next(onClock(t.In(place), time.UTC)) // what a clock without summer time would show
	real := onClock(shown, place)
	begin, end := real.ZoneBounds()
	switch seen := onClock(real, time.UTC); {
	case shown.IsZero() || seen.Equal(shown):
		return time.Time{}
	case seen.Before(shown): // Go may choose either side of the gap
		begin = end
	}
	if !begin.After(t) {
		return time.Time{}
	}
	return begin
}

// onClock is the moment at which a clock in another place shows what t shows.
func onClock(t time.Time, place *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), place)
}

const (
	scheduleHelp = `write an interval such as "@every 1m", or five fields (minute hour day month weekday) such as "*/5 * * * *"`
	minInterval  = time.Second
	maxSpec      = 200
)

// ParseSchedule reads a robfig/cron expression: "@every 1m", "@hourly", or
// five fields. Its errors say how to write one.
func ParseSchedule(spec string) (Schedule, error) {
	spec = strings.TrimSpace(spec)
	if problem := scheduleProblem(spec); problem != "" {
		return Schedule{}, fail(ErrConfig, "schedule %q %s; %s", clip(spec, maxNameShown), problem, scheduleHelp)
	}
	parsed, err := cron.ParseStandard(spec)
	if err != nil {
		return Schedule{}, fail(ErrConfig, "schedule %q cannot be read (%s); %s", spec, err, scheduleHelp)
	}
	s := Schedule{spec: spec, cron: parsed}
	if s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Schedule{}, fail(ErrConfig, "schedule %q never comes; %s", spec, scheduleHelp)
	}
	return s, nil
}

func scheduleProblem(spec string) string {
	switch {
	case spec == "":
		return "is empty"
	case len(spec) > maxSpec:
		return "is too long"
	case strings.HasPrefix(spec, "TZ=") || strings.HasPrefix(spec, "CRON_TZ="):
		if _, rest, ok := strings.Cut(spec, " "); !ok || strings.TrimSpace(rest) == "" {
			return "names a time zone and no time"
		}
	case strings.HasPrefix(spec, "@every "):
		every, err := time.ParseDuration(strings.TrimSpace(strings.TrimPrefix(spec, "@every ")))
		if err != nil {
			return "has an interval that cannot be read, such as 30s, 5m or 1h30m"
		}
		if every < minInterval {
			return fmt.Sprintf("comes more often than every %s", minInterval)
		}
	}
	return ""
}

// Poll calls look at every moment of the schedule, up to jitter later so that
// many agents do not ask a server all at once, until ctx ends. Moments that
// pass while look runs are left out.
func Poll(ctx context.Context, schedule Schedule, jitter time.Duration, look func()) {
	for {
		now := time.Now()
		next := schedule.Next(now)
		if next.IsZero() {
			<-ctx.Done()
			return
		}
		wait := next.Sub(now)
		if jitter > 0 {
			wait += rand.N(jitter)
		}
		if backoff.Wait(ctx, wait) != nil {
			return
		}
		look()
	}
}
