package readapi

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

func runAt(second int64, commit string) report.Run {
	return report.Run{Stack: "prod", Started: time.Unix(second, 0), Revision: source.Revision{Commit: commit}, Pass: &engine.Pass{Stack: "prod", First: plan.Plan{Stack: "prod"}, Last: plan.Plan{Stack: "prod"}}}
}

// Runs with the same end are one row with a count. The number of rows is limited.
func TestPassesAreCounted(t *testing.T) {
	var all []pass
	for second := range int64(5) {
		all = recorded(all, runAt(second, "a"))
	}
	if len(all) != 1 || all[0].count != 5 || all[0].first.Unix() != 0 || all[0].last.Unix() != 4 {
		t.Errorf("%+v", all)
	}
	for second := range int64(3 * maxPasses) {
		run := runAt(second, "a")
		if second%2 == 0 {
			run = report.Run{Stack: "prod", Started: run.Started, FetchErr: errors.New("no route")}
		}
		all = recorded(all, run)
	}
	if len(all) != maxPasses {
		t.Errorf("%d passes are held, want %d", len(all), maxPasses)
	}
}

func stackText(s *Store) string { return string(s.items(s.at("prod"), stackGVK)[0].text) }

// Progress is shown until the run ends, and not after it.
func TestProgressEndsWithItsRun(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.progress("prod", 0, engine.Progress{Done: 1, Total: 7}, nil)
	if text := stackText(s); !strings.Contains(text, `"total":7`) {
		t.Errorf("the stack does not say how far it has come: %s", text)
	}
	s.Ran(runAt(1, "a"))
	s.progress("prod", 0, engine.Progress{Done: 2, Total: 7}, nil) // this arrives too late
	if text := stackText(s); strings.Contains(text, "progress") {
		t.Errorf("the run has ended, and the stack says: %s", text)
	}
	if items := s.items(s.at("prod"), planGVK); len(items) != 1 || !strings.Contains(string(items[0].text), "In sync") {
		t.Errorf("the plan is %v", items)
	}
}

// While a pass changes something, the stack shows the state, the commit and the plan of that pass, and not those
// of the last pass.
func TestAPassThatRunsIsTheState(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.Ran(runAt(1, "a"))
	began := plan.Plan{Stack: "prod", Commit: "b", Steps: []plan.Step{{Key: manifest.Key{Kind: "Server", Name: "web"}, Action: plan.Create}}}
	group := []plan.Rollout{{Group: manifest.Key{Kind: "VirtualMachineGroup", Name: "web"}, Done: 8, Of: 30}}
	s.progress("prod", 1, engine.Progress{Commit: "b", Began: time.Unix(0, 0), At: time.Unix(600, 0), Done: 10, Total: 30, Rollouts: group}, &planned{plan: began})
	var got struct {
		Status struct {
			State, Commit string
			Progress      struct{ SecondsLeft int }
			Conditions    []struct{ Status string }
		}
	}
	if err := json.Unmarshal([]byte(stackText(s)), &got); err != nil {
		t.Fatal(err)
	}
	if is := got.Status; is.State != "rolling out 8/30" || is.Commit != "b" || is.Progress.SecondsLeft != 20*60 || is.Conditions[0].Status != "False" {
		t.Errorf("%+v", is)
	}
	if items := s.items(s.at("prod"), planGVK); len(items) != 1 || !strings.Contains(string(items[0].text), "Server/web") {
		t.Errorf("the plan is %v", items)
	}
	s.Ran(runAt(2, "b"))
	if text := stackText(s); !strings.Contains(text, `"state":"in sync"`) {
		t.Errorf("the run has ended: %s", text)
	}
}

func TestFirstLines(t *testing.T) {
	if text, whole := firstLines("one\ntwo\nthree\n", 9); text != "one\ntwo\n" || whole {
		t.Errorf("%q %t", text, whole)
	}
	if text, whole := firstLines("one\n", 9); text != "one\n" || !whole {
		t.Errorf("%q %t", text, whole)
	}
}

// addresses returns addresses that do not belong to a forge.
type addresses string

func (a addresses) Files(commit string) string  { return string(a) + commit }
func (a addresses) Commit(commit string) string { return commit + string(a) }

// A stack shows the addresses that are known. Without a commit, it shows none.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		of             Addresses
		commit         string
		files, address any
	}{
		{addresses("-at-"), "abc", "-at-abc", "abc-at-"},
		{addresses("-at-"), "", nil, nil},
		{nil, "abc", nil, nil},
	} {
		status := map[string]any{}
		About{Addresses: c.of}.addTo(status, c.commit)
		if status["files"] != c.files || status["commitAddress"] != c.address {
			t.Errorf("%v of %q: %v", c.of, c.commit, status)
		}
	}
}

// The owner of an object is searched among the objects of the same namespace.
func TestIndex(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	child := thingNamed("b", "drifted")
	child.owner = owner{thing, id{"a", ""}}
	stray := thingNamed("c", "in sync")
	stray.owner = owner{thing, id{"a", "other"}}
	s.shows(thingNamed("a", "in sync"), child, stray)
	x, ok := s.Index("prod")
	if !ok || len(x.Objects) != 3 || x.Objects[0].Owner != -1 || x.Objects[1].Owner != 0 || x.Objects[2].Owner != -1 {
		t.Errorf("%+v", x)
	}
	before := x.Version
	s.progress("prod", 0, engine.Progress{Total: 1}, nil)
	if x, _ = s.Index("prod"); x.Version != before {
		t.Error("the version changes although no object has")
	}
	if _, ok := s.Index("other"); ok {
		t.Error("there is an index of no stack")
	}
}
