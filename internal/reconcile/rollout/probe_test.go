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
		{of: "a", second: 59, sick: "the agent has not probed http :80/ok yet"},
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
			r = r.Add(step.of, at(step.second), step.answer)
		}
		found := r.Finding(p, step.of)
		if found.Suspect {
			found.Sick = "perhaps " + found.Sick
		}
		if found.Sick != step.sick {
			t.Errorf("%s at %d: %q, want %q", step.of, step.second, found.Sick, step.sick)
		}
	}
	for want, p := range map[string]Probe{"tcp :22": {Type: "tcp", Port: 22}, "grpc :50051": {Type: "grpc", Port: 50051}, "grpc :50051 shop.Cart": {Type: "grpc", Port: 50051, Service: "shop.Cart"}} {
		if got := p.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A member that has served is a suspect until Threshold bad answers, and the time is known since when it does not serve. A member that has
// not served yet is unproven. After Threshold bad answers, both certainly do not serve.
func TestFinding(t *testing.T) {
	p := Probe{Type: "tcp", Port: 22, Threshold: 2}
	second := func(n int) time.Time { return now.Add(time.Duration(n) * time.Second) }
	for answers, want := range map[string]Finding{ // one letter per second: g for a good answer, b for a bad one
		"":    {Sick: "the agent has not probed tcp :22 yet", Unproven: true},
		"g":   {},
		"b":   {Sick: "tcp :22: refused", Unproven: true},
		"bb":  {Sick: "tcp :22: refused, 2 times in a row", Unproven: true, Sure: true},
		"gb":  {Sick: "tcp :22: refused", Suspect: true, Since: second(1)},
		"gbb": {Sick: "tcp :22: refused, 2 times in a row", Sure: true, Since: second(1)},
	} {
		var r Record
		for i, letter := range answers {
			r = r.Add("a", second(i), map[rune]error{'b': errors.New("refused")}[letter])
		}
		if got := r.Finding(p, "a"); got != want {
			t.Errorf("%q: %+v, want %+v", answers, got, want)
		}
	}
}
