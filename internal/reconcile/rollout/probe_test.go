package rollout

import (
	"errors"
	"testing"
	"time"
)

func TestRecord(t *testing.T) {
	p := Probe{Type: "http", Port: 80, Path: "/ok", Interval: 10 * time.Second, Delay: time.Minute, Threshold: 3}
	refused := errors.New("refused")
	begun := now
	at := func(seconds int) time.Time { return begun.Add(time.Duration(seconds) * time.Second) }
	var r Record
	for _, step := range []struct {
		of     string
		second int
		due    bool
		answer error
		sick   string
	}{
		{of: "a", second: 59, sick: "http :80/ok was not asked yet"},
		{of: "a", second: 60, due: true, answer: refused, sick: "http :80/ok: refused"},
		{of: "a", second: 69, sick: "http :80/ok: refused"},
		{of: "a", second: 70, due: true, answer: refused, sick: "http :80/ok: refused, 2 times in a row"},
		{of: "a", second: 80, due: true},
		{of: "a", second: 90, due: true, answer: refused, sick: "perhaps http :80/ok: refused"},
		{of: "a", second: 100, due: true, answer: refused, sick: "perhaps http :80/ok: refused, 2 times in a row"},
		{of: "a", second: 110, due: true, answer: refused, sick: "http :80/ok: refused, 3 times in a row"},
		{of: "a", second: 120, due: true},
		{of: "b", second: 121, due: true, answer: refused, sick: "http :80/ok: refused"},
		{of: "c", second: 122, due: true},
	} {
		if due := r.Due(p, step.of, begun, at(step.second)); due != step.due {
			t.Errorf("%s at %d: due %v", step.of, step.second, due)
		}
		if step.due {
			r = r.Asked(step.of, at(step.second), step.answer)
		}
		found := r.Finding(p, step.of)
		if found.Suspect {
			found.Sick = "perhaps " + found.Sick
		}
		if found.Sick != step.sick {
			t.Errorf("%s at %d: %q, want %q", step.of, step.second, found.Sick, step.sick)
		}
	}
	if got := (Probe{Type: "tcp", Port: 22}).String(); got != "tcp :22" {
		t.Error(got)
	}
}
