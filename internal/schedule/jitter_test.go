package schedule

import (
	"testing"
	"time"
)

func TestJitterIsATenthOfTheInterval(t *testing.T) {
	now := time.Date(2026, 3, 4, 10, 20, 30, 0, time.UTC)
	for spec, want := range map[string]time.Duration{"@every 1m": 6 * time.Second, "@every 10s": time.Second, "@daily": 30 * time.Second} {
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Jitter(now); got != want {
			t.Errorf("%s: jitter %s, want %s", spec, got, want)
		}
	}
	if got := (Schedule{}).Jitter(now); got != 0 {
		t.Errorf("without a schedule: jitter %s", got)
	}
}
