package readapi

import (
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/report"
)

// A stack of another agent is shown with the name of that agent. Its objects are shown only when this agent
// serves the stack again.
func TestAStackOfAnotherAgent(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	o := Other{Agent: "b\x1b[31m", Address: "https://b:9464", State: "in sync", Commit: "0123456789abcdef", Looked: time.Unix(5, 0)}
	s.ShowElsewhere("prod", o)
	version, _, _ := s.Version()
	s.ShowElsewhere("prod", o)
	if now, _, _ := s.Version(); now != version {
		t.Error("what is no news changes the version")
	}
	items := s.items(s.at(""), stackGVK)
	if len(items) != 1 || len(s.items(s.at(""), thing)) != 0 {
		t.Fatalf("%d stacks, %d things", len(items), len(s.items(s.at(""), thing)))
	}
	text := string(items[0].text)
	for _, want := range []string{`at https://b:9464"`, `"servedBy"`, `"state":"in sync"`, `"commit":"0123456789abcdef"`, `"lastRun":"1970-01-01T00:00:05Z"`} {
		if !strings.Contains(strings.ReplaceAll(text, `": `, `":`), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Contains(text, `\u001b`) {
		t.Errorf("what others write is shown as it is: %s", text)
	}
	s.Ran(report.Run{Stack: "prod", Started: time.Unix(9, 0)})
	if text := string(s.items(s.at(""), stackGVK)[0].text); strings.Contains(text, "servedBy") {
		t.Errorf("served here again: %s", text)
	}
	s.ShowElsewhere("prod", Other{})
	if text := string(s.items(s.at(""), stackGVK)[0].text); !strings.Contains(text, "no agent serves the stack now") {
		t.Errorf("served by nobody: %s", text)
	}
}

// If a report about another agent's stack changes nothing, storing it does not wait for another write, even if a
// large run is being stored. This matters because the caller renews leases.
func TestNoNewsWaitsForNobody(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	o := Other{Agent: "b", State: inSync}
	s.ShowElsewhere("prod", o)
	s.writing.Lock()
	defer s.writing.Unlock()
	done := make(chan struct{})
	go func() { s.ShowElsewhere("prod", o); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("it waits")
	}
}
