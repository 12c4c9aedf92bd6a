package outbound

import (
	"net/http"
	"strconv"
	"time"
)

// LongestRetryAfter bounds a server's Retry-After.
const LongestRetryAfter = 24 * time.Hour

// RetryAfter is the time that a server asks to wait, between 0 and [LongestRetryAfter]; said is
// false when the answer has none. A date is compared with the server's clock if the answer has
// that.
func RetryAfter(h http.Header, now time.Time) (wait time.Duration, said bool) {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int(LongestRetryAfter/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return min(max(0, at.Sub(Clock(h, now))), LongestRetryAfter), true
}

// Clock is the server's clock, to which its dates refer, or ours if the answer does not have it.
func Clock(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}
