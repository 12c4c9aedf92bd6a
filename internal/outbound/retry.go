package outbound

import (
	"net/http"
	"strconv"
	"time"
)

// LongestRetryAfter is the maximum for the value of a server's Retry-After.
const LongestRetryAfter = 24 * time.Hour

// RetryAfter returns the time to wait from a server's answer, between 0 and [LongestRetryAfter]. said is false
// if the answer contains none. If the answer contains a date to wait for, the time is counted from [Clock].
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

// Clock returns the time of the server's clock, to which the dates in its answer refer. If the answer does not
// contain that time, it returns now.
func Clock(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}
