package forge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/outbound"
)

// limits decides whether a request may be sent now, by our own budget and by the limits that the
// forge last announced.
type limits struct {
	perHour int

	mu       sync.Mutex
	requests window // all requests, in an hour
	writes   window // requests that change something, in a minute
	creates  window // requests that create something, in an hour
	until    time.Time
	reason   string
	strikes  int // consecutive limits for which the forge gave no time
}

func newLimits(c TransportConfig) limits {
	return limits{
		perHour:  c.PerHour,
		requests: window{most: c.PerHour, slot: time.Minute},
		writes:   window{most: c.WritesPerMinute, slot: time.Second},
		creates:  window{most: c.CreatesPerHour, slot: time.Minute},
	}
}

// take counts one request, or returns an error if a limit is reached. The last tenth of the budget
// is reserved for writing. So results can still be published when nothing more can be read.
func (l *limits) take(method string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.until) {
		return &LimitedError{l.until, l.reason}
	}
	reading := method == http.MethodGet || method == http.MethodHead
	reserve := 0
	if reading {
		reserve = l.perHour / 10
	}
	if until := l.requests.full(now, reserve); !until.IsZero() {
		return &LimitedError{until, fmt.Sprintf("the budget of requests to read or write is spent: %d of %d an hour (requestsPerHour)", l.perHour-reserve, l.perHour)}
	}
	if !reading {
		if until := l.writes.full(now, 0); !until.IsZero() {
			return &LimitedError{until, fmt.Sprintf("no more than %d writes a minute", l.writes.most)}
		}
	}
	if method == http.MethodPost {
		if until := l.creates.full(now, 0); !until.IsZero() {
			return &LimitedError{until, fmt.Sprintf("no more than %d new comments and statuses an hour", l.creates.most)}
		}
		l.creates.add(now, 1)
	}
	// A request that one limit refuses does not count against the other limits.
	if !reading {
		l.writes.add(now, 1)
	}
	l.requests.add(now, 1)
	return nil
}

// free removes one request from the budget, because the forge did not count it.
func (l *limits) free(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests.add(now, -1)
}

func (l *limits) remaining(now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.perHour-l.requests.count(now), 0)
}

const (
	firstStrike = time.Minute
	longStrike  = time.Hour
	// longestLimit is the longest wait that a forge can demand.
	longestLimit = 2 * time.Hour
)

// heed reads the limits in an answer. It returns an error if the forge refused the request because
// of a limit.
//
//	the answer has "remaining: 0" and a reset time       the transport waits until that time
//	the answer has Retry-After                           the transport waits as long as that says
//	the answer has neither, but its text names a limit   the transport waits a minute, then two, four …
func (l *limits) heed(resp *http.Response, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	spent := limitOf(resp.Header, "Remaining") == "0"
	refused := resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusTooManyRequests
	message := ""
	if refused {
		message = explain(bytesOf(resp))
	}
	switch wait, said := outbound.RetryAfter(resp.Header, now); {
	case spent && resetOf(resp) != 0 && (refused || resp.StatusCode < 400):
		l.stop(now, time.Duration(resetOf(resp)-outbound.Clock(resp.Header, now).Unix())*time.Second, "the forge allows no more requests until then")
	case refused && said:
		l.stop(now, wait, "the forge asks the agent to wait: "+message)
	case resp.StatusCode == http.StatusTooManyRequests || refused && (spent || tellsLimit(message)):
		l.strikes++
		l.stop(now, backoff.Pause(firstStrike, longStrike, l.strikes), "the forge asks the agent to wait: "+message)
	case refused:
		return nil
	}
	if refused {
		return &LimitedError{l.until, l.reason}
	}
	if resp.StatusCode < 400 {
		l.strikes = 0
	}
	return nil
}

// stop blocks all requests for a time, whatever the forge says: at least a second, and at most
// longestLimit.
func (l *limits) stop(now time.Time, wait time.Duration, reason string) {
	l.until, l.reason = now.Add(min(max(wait, time.Second), longestLimit)), brief(reason)
}

// limitOf returns the value of a header about the forge's limit. The names of GitHub and Gitea
// begin with X-, and those of GitLab do not.
func limitOf(h http.Header, what string) string {
	return cmp.Or(h.Get("X-RateLimit-"+what), h.Get("RateLimit-"+what))
}

func resetOf(resp *http.Response) int64 {
	seconds, err := strconv.ParseInt(limitOf(resp.Header, "Reset"), 10, 64)
	if err != nil || seconds < 0 || seconds > 1<<40 {
		return 0
	}
	return seconds
}

// tellsLimit reports whether a message is about a limit. It finds limits that no header announces.
func tellsLimit(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "rate limit") || strings.Contains(message, "rate-limit") || strings.Contains(message, "abuse")
}

// explain returns the message in the body of an error.
func explain(body []byte) string {
	var e struct {
		Message          string `json:"message"`
		DocumentationURL string `json:"documentation_url"`
	}
	if json.Unmarshal(body, &e) != nil {
		return ""
	}
	return strings.TrimSpace(e.Message + " " + e.DocumentationURL)
}

// window counts requests in the last 60 slots of time and in the current slot. It uses the
// monotonic clock, so a change of the wall clock has no effect.
type window struct {
	begun  time.Time // the beginning of slot 0
	most   int       // 0 means no limit
	slot   time.Duration
	counts [slots]int
	newest int64 // the number of the newest slot
	sum    int
}

const slots = 61

// count removes the requests that are too old, and returns the number of the remaining ones.
func (w *window) count(now time.Time) int {
	if w.begun.IsZero() {
		w.begun = now
	}
	number := max(int64(now.Sub(w.begun)/w.slot), w.newest)
	for step := min(number-w.newest, slots); step > 0; step-- {
		i := (number - step + 1) % slots
		w.sum -= w.counts[i]
		w.counts[i] = 0
	}
	w.newest = number
	return w.sum
}

func (w *window) add(now time.Time, n int) {
	w.count(now)
	if i := w.newest % slots; w.counts[i]+n >= 0 {
		w.counts[i] += n
		w.sum += n
	}
}

// full returns the time at which another request is allowed, or zero if one is allowed now. reserve
// is the number of requests that must remain unused.
func (w *window) full(now time.Time, reserve int) time.Time {
	sum := w.count(now)
	if w.most <= 0 || sum < w.most-reserve {
		return time.Time{}
	}
	for age := int64(slots - 1); age >= 0; age-- {
		number := w.newest - age
		if sum -= w.counts[((number%slots)+slots)%slots]; sum < w.most-reserve {
			return w.begun.Add(time.Duration(number+slots) * w.slot)
		}
	}
	return now.Add(w.slot)
}
