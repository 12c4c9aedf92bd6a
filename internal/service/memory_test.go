package service

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/report"
)

// Memory is released after passes. That takes at most a hundredth of the time, no matter how much memory and how many passes there are.
func TestReleasingMemoryTakesLittleTime(t *testing.T) {
	for _, takes := range []time.Duration{time.Millisecond, time.Second} {
		now, spent := time.Unix(0, 0), time.Duration(0)
		saving := &releaser{now: func() time.Time { return now }, free: func() { now, spent = now.Add(takes), spent+takes }}
		for now.Before(time.Unix(3600, 0)) {
			saving.Ran(report.Run{})
			now = now.Add(50 * time.Millisecond)
		}
		if spent < 30*time.Second || spent > 36*time.Second {
			t.Errorf("%s each: %s of an hour", takes, spent)
		}
	}
}
