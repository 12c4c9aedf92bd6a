package forge

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// The clock on the wall may be put back by a day. A time without a monotonic
// reading would then lie in the future for that long.
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
