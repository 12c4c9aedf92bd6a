package events

import (
	"testing"
	"time"
)

func TestProbePace(t *testing.T) {
	var p ProbePace
	now := time.Unix(1e9, 0)
	wait := func() time.Duration { return p.next.Sub(now) }
	if !p.Due(now) {
		t.Error("the first probe is not due")
	}
	p.Answered(now, false, 1)
	if wait() != busyProbe || p.Due(now.Add(busyProbe-1)) || !p.Due(now.Add(busyProbe)) {
		t.Errorf("%v after the first probe", wait())
	}
	for range 10 {
		p.Answered(now, false, 1)
	}
	if wait() != calmProbe {
		t.Errorf("%v while nothing changes", wait())
	}
	p.Answered(now, true, 1)
	if wait() != busyProbe {
		t.Errorf("%v after a change", wait())
	}
	for range 10 {
		p.Answered(now, false, 2)
	}
	if wait() != busyProbe {
		t.Errorf("%v between two questions", wait())
	}
	p.Failed(now, 0)
	if wait() != refusedProbe {
		t.Errorf("%v after a refusal", wait())
	}
	p.Failed(now, 5*time.Minute)
	if wait() != 5*time.Minute {
		t.Errorf("%v after a service asked for 5 min", wait())
	}
	for range 50 {
		p.Failed(now, 24*time.Hour)
	}
	if wait() != longestProbe {
		t.Errorf("%v after many refusals", wait())
	}
	p.Answered(now, false, 1)
	if wait() != busyProbe {
		t.Errorf("%v after an answer", wait())
	}
}
