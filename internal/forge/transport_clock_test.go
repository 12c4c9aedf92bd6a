package forge

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// The wall clock may be set back by a day. Without a monotonic reading, the time of a limit would then be in the future
// for a day.
func TestLimitsGoByTimeThatPassesAndNotByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits(TransportConfig{PerHour: 100, WritesPerMinute: 5, CreatesPerHour: 50})
		for range 5 {
			if err := l.take(http.MethodPatch, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.take(http.MethodPatch, time.Now()); err == nil {
			t.Fatal("six writes in a minute")
		}
		back := time.Now().Round(0).Add(-24 * time.Hour) // without a monotonic reading, as after a restored snapshot
		if err := l.take(http.MethodGet, back); err != nil {
			t.Errorf("locked out by a clock that was put back: %v", err)
		}
		time.Sleep(62 * time.Second)
		if err := l.take(http.MethodPatch, time.Now()); err != nil {
			t.Errorf("a minute later: %v", err)
		}
	})
}

func TestAWriteThatIsRefusedTakesNothingFromTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits(TransportConfig{PerHour: 100, WritesPerMinute: 5, CreatesPerHour: 1})
		if err := l.take(http.MethodPost, time.Now()); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if err := l.take(http.MethodPost, time.Now()); err == nil {
				t.Fatal("two new comments in an hour")
			}
		}
		for i := range 4 {
			if err := l.take(http.MethodPatch, time.Now()); err != nil {
				t.Errorf("write %d: %v", i+2, err)
			}
		}
	})
}

// A forge may need ten seconds for an answer. If it needs longer than the time limit of a request, it counts as
// unavailable.
func TestSlowAnswersAreWaitedFor(t *testing.T) {
	for took, want := range map[time.Duration]error{10 * time.Second: nil, requestTime + time.Second: ErrUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			tr := NewTransport(config(func(req *http.Request) (*http.Response, error) {
				select {
				case <-time.After(took):
					return answer(200, "{}"), nil
				case <-req.Context().Done():
					return nil, req.Context().Err()
				}
			}))
			begun := time.Now()
			if _, _, err := send(t, tr, "GET", "repos"); !errors.Is(Class(err), want) || time.Since(begun) > requestTime {
				t.Errorf("an answer after %s: %v after %s", took, err, time.Since(begun))
			}
		})
	}
}
