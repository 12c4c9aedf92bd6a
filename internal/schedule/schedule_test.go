package schedule

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestParse(t *testing.T) {
	at := time.Date(2026, 3, 4, 10, 20, 30, 0, time.UTC)
	for spec, want := range map[string]time.Time{
		"@every 1m":                    at.Add(time.Minute),
		" @every 90s ":                 at.Add(90 * time.Second),
		"@hourly":                      time.Date(2026, 3, 4, 11, 0, 0, 0, time.UTC),
		"TZ=UTC */5 * * * *":           time.Date(2026, 3, 4, 10, 25, 0, 0, time.UTC),
		"CRON_TZ=Asia/Tokyo 0 9 * * *": time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC),
		"TZ=UTC 0 0 29 2 *":            time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC),
	} {
		s, err := Parse(spec)
		if err != nil {
			t.Errorf("%q: %v", spec, err)
		} else if next := s.Next(at); !next.Equal(want) {
			t.Errorf("%q comes at %s, want %s", spec, next, want)
		}
	}
	for spec, words := range map[string]string{
		"": "is empty", "1m": "cannot be read", "@every": "cannot be read", "@every 1": "interval that cannot be read", "@every 10ms": "more frequent",
		"@every -5m": "more frequent", "* * * *": "cannot be read", "* * * * * *": "cannot be read", "61 * * * *": "cannot be read",
		"0 0 30 2 *": "never comes", "TZ=UTC": "no time", "TZ=": "no time", "TZ=Nowhere/X * * * * *": "cannot be read", "@often": "cannot be read",
	} {
		_, err := Parse(spec)
		if err == nil {
			t.Errorf("%q is accepted", spec)
			continue
		}
		for _, words := range []string{words, `write an interval such as "@every 1m"`} {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("error %q does not say %q", err, words)
			}
		}
	}
}

func FuzzSchedule(f *testing.F) {
	for _, seed := range []string{"@every 1m", "TZ= * * * * *", "*/0 * * * *", "TZ=UTC @every 1h", "0-59/70 * * * *", "@every 99999999h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		s, err := Parse(spec)
		if err != nil {
			return
		}
		at := time.Date(2026, 3, 4, 10, 20, 30, 0, time.UTC)
		if next := s.Next(at); !next.IsZero() && next.Sub(at) <= 0 {
			t.Errorf("%q comes at %s, which is not after %s", spec, next, at)
		}
	})
}

// ran calls Run for the duration d of fake time. It returns the times of the calls of do. Each call takes the
// duration work.
func ran(t *testing.T, spec string, jitter, d, work time.Duration) (calls []time.Duration) {
	schedule, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		start := time.Now()
		Run(ctx, schedule, jitter, func() {
			calls = append(calls, time.Since(start))
			time.Sleep(work)
		})
		if since := time.Since(start); since < d {
			t.Errorf("ended after %s, before its context did", since)
		}
	})
	return calls
}

func TestRun(t *testing.T) {
	if got := ran(t, "@every 1m", 0, 3*time.Minute+time.Second, 0); !slices.Equal(got, []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute}) {
		t.Errorf("ran at %v", got)
	}
	if got := ran(t, "*/5 * * * *", 0, 11*time.Minute, 0); !slices.Equal(got, []time.Duration{5 * time.Minute, 10 * time.Minute}) {
		t.Errorf("ran at %v", got)
	}
	if got := ran(t, "*/5 * * * *", 0, 16*time.Minute, 7*time.Minute); !slices.Equal(got, []time.Duration{5 * time.Minute, 15 * time.Minute}) {
		t.Errorf("with work that takes longer than the interval it ran at %v", got)
	}
}

func TestRunJitter(t *testing.T) {
	calls := ran(t, "*/5 * * * *", 30*time.Second, 24*time.Hour, 0)
	if len(calls) < 280 {
		t.Fatalf("%d calls", len(calls))
	}
	late := map[time.Duration]bool{}
	for i, at := range calls {
		off := at % (5 * time.Minute)
		if off >= 30*time.Second {
			t.Errorf("call %d is %s late", i, off)
		}
		late[off.Round(time.Second)] = true
	}
	if len(late) < 20 {
		t.Errorf("only %d different delays", len(late))
	}
}

func TestRunWithoutSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		Run(ctx, Schedule{}, time.Second, func() { t.Error("ran") })
	})
}
