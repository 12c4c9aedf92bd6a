package outbound

import (
	"net/http"
	"strconv"
	"time"
)

// LongestRetryAfter is as much as is believed of a server's Retry-After.
const LongestRetryAfter = 24 * time.Hour

// RetryAfter is how long a server asks to wait, between nothing and
// [LongestRetryAfter]; said is false when it does not say. A moment is by the
// server's clock where the answer has that.
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

// Clock is the server's clock, which its times are by, or ours where it does not say.
func Clock(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}
