package outbound_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after, date string
		wait        time.Duration
		said        bool
	}{
		{"", "", 0, false},
		{"soon", "", 0, false},
		{"-1", "", 0, false},
		{"1.5", "", 0, false},
		{"0", "", 0, true},
		{"30", "", 30 * time.Second, true},
		{"9223372036854775807", "", outbound.LongestRetryAfter, true},
		{"9223372036854775808", "", 0, false},
		{"Sun, 01 Mar 2026 12:01:00 GMT", "", time.Minute, true},
		{"Sun, 01 Mar 2026 11:00:00 GMT", "", 0, true},
		{"Fri, 01 Jan 2100 00:00:00 GMT", "", outbound.LongestRetryAfter, true},
		{"Sun, 01 Mar 2026 12:01:00 GMT", "Sun, 01 Mar 2026 12:00:50 GMT", 10 * time.Second, true},
	} {
		wait, said := outbound.RetryAfter(http.Header{"Retry-After": {c.after}, "Date": {c.date}}, now)
		if wait != c.wait || said != c.said {
			t.Errorf("%q at %q: %s, %v; want %s, %v", c.after, c.date, wait, said, c.wait, c.said)
		}
	}
}
