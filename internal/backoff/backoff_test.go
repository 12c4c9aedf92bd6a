package backoff

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	for failures, want := range map[int]time.Duration{0: 2, 1: 2, 2: 4, 3: 8, 4: 10, 5: 10, 1000: 10, math.MaxInt: 10} {
		if got := Pause(2*time.Second, 10*time.Second, failures); got != want*time.Second {
			t.Errorf("after %d failures: %s, want %ds", failures, got, want)
		}
	}
	if got := Pause(time.Hour, time.Minute, 1); got != time.Minute {
		t.Errorf("a first pause beyond the longest: %s", got)
	}
	if got := Pause(time.Second, math.MaxInt64/2, math.MaxInt); got != math.MaxInt64/2 {
		t.Errorf("without a bound to speak of: %s", got)
	}
}

func TestSpread(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 100 {
		got := Spread(time.Second)
		if got < time.Second/2 || got > time.Second {
			t.Errorf("a second became %s", got)
		}
		seen[got] = true
	}
	if len(seen) < 2 {
		t.Error("nothing is left to chance")
	}
	if got := Spread(0); got != 0 {
		t.Errorf("no pause became %s", got)
	}
}

func TestWait(t *testing.T) {
	if err := Wait(t.Context(), 0); err != nil {
		t.Error(err)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := Wait(ctx, time.Hour); !errors.Is(err, why) {
		t.Errorf("%v, want %v", err, why)
	}
}
