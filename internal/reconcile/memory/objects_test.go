package memory

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// If a list that began late enough does not contain a created object, the object counts as missing. If the object did not exist yet, it is
// only dropped.
func TestWhatWasMadeIsMissed(t *testing.T) {
	for _, c := range []struct {
		name   string
		unmade bool
		listed time.Time
		open   bool
		missed bool
	}{
		{"listed before", false, seconds(0), true, false},
		{"lists may lag", false, seconds(2), true, false},
		{"overdue", false, seconds(3), false, true},
		{"overdue, and not there yet", true, seconds(3), false, false},
	} {
		m, s := &Memory{}, &plan.Step{Key: web, Action: plan.Create}
		m.NoteMade(s, &kind.Live{ID: "id-1", Uncertain: c.unmade}, noon)
		m.NoteCreatedAndGone(func(string) time.Time { return c.listed })
		if _, missed := m.knownIDs[s.Identity()]; missed != c.missed || len(m.created) > 0 != c.open {
			t.Errorf("%s: missed %v, created %v", c.name, missed, m.created)
		}
	}
}

// If a plan shows an object with its mark, the object's ID is recorded. There are exceptions: the object is not managed, the pass is
// changing it, it is being deleted, or it was created after its list.
func TestWhatAPlanShowsIsRemembered(t *testing.T) {
	p := planned(t, []string{"a", "used import=base", "busy", "made", "goes", "missing"}, []string{"a ours", "base other", "busy ours", "made ours", "goes ours", "old stale"})
	m := &Memory{}
	create := func(name string) *plan.Step { return &plan.Step{Key: thingtest.Key(name), Action: plan.Create} }
	at := Round{Now: noon, Listed: func(string) time.Time { return seconds(1) }, Busy: func(id string) bool { return id == thingtest.Key("busy").String() }}
	for i := range p.Steps {
		switch s := &p.Steps[i]; s.Key.Name {
		case "a":
			set(&m.unanswered, s.Identity(), noon)
			set(&m.created, s.Identity(), creation{"Thing", s.ID(), noon, false})
			set(&m.made, s.Identity(), s.ID())
		case "made":
			set(&m.created, s.Identity(), creation{"Thing", s.ID(), seconds(9), false})
		case "used":
			set(&m.knownIDs, s.Identity(), "before")
		}
	}
	m.NoteBegun([]manifest.Key{create("goes").Key})
	m.begun[create("goes").Key] = begun{deletes: true}
	m.NotePlan(p, at)
	if len(m.knownIDs) != 1 || m.knownIDs[thingtest.Key("a").String()] == "" {
		t.Errorf("remembered are %v", m.knownIDs)
	}
	if len(m.unanswered) > 0 || len(m.created) != 1 || len(m.made) > 0 {
		t.Errorf("unanswered %v, created %v, made %v", m.unanswered, m.created, m.made)
	}
}

// If a manifest asks to adopt an object, the object counts as adopted only once it has the mark.
func TestAdopted(t *testing.T) {
	p := planned(t, []string{"a adopt=id-001", "b", "missing adopt=id-009", "new adopt=id-003"}, []string{"a ours", "b ours", "new nobody"})
	m := &Memory{}
	m.NotePlan(p, Round{Now: noon, Listed: func(string) time.Time { return noon }, Busy: func(string) bool { return false }})
	for name, want := range map[string]bool{"a": true, "b": false, "missing": false, "new": false} {
		if got := m.Adopted(thingtest.Key(name).String()); got != want {
			t.Errorf("%s is adopted: %v", name, got)
		}
	}
}

// An object that is about to be deleted does not count as missing. If it was created and no list shows it yet, that creation is dropped,
// too.
func TestWhatIsDestroyedIsNotMissed(t *testing.T) {
	p := planned(t, []string{"a shape=flat", "b shape=flat"}, []string{"a stale shape=round", "b stale shape=round"})
	m := &Memory{}
	for i := range p.Steps {
		s := &p.Steps[i]
		set(&m.knownIDs, s.Identity(), s.ID())
		set(&m.created, s.Key.String(), creation{id: map[string]string{"a": s.ID(), "b": "another"}[s.Key.Name]})
		m.NoteDestroying(s)
	}
	if len(m.knownIDs) > 0 || len(m.created) != 1 || m.created[thingtest.Key("b").String()].id != "another" {
		t.Errorf("seen %v, created %v", m.knownIDs, m.created)
	}
}

// If the cloud has refused a step, the step has ended. If it has not answered, or the step was cut off, the step may continue. If nothing was sent,
// it does not continue, and only lists may lag behind.
func TestFailures(t *testing.T) {
	unsent := fmt.Errorf("%w: %w", kind.ErrUnsent, context.Canceled)
	for name, tt := range map[string]struct {
		err  error
		want time.Time
	}{
		"refused":                   {kind.ErrRejected, time.Time{}},
		"no answer":                 {kind.ErrUnanswered, seconds(9)},
		"cut off":                   {context.Canceled, seconds(9)},
		"cut off before it is sent": {unsent, noon.Add(listDelay)},
		"no connection":             {kind.ErrUnsent, time.Time{}},
		"no answer, then cut off before more is sent": {errors.Join(kind.ErrUnanswered, unsent), seconds(9)},
	} {
		m, s := &Memory{}, &plan.Step{Key: web, Action: plan.Create}
		m.NoteBegun([]manifest.Key{web})
		m.NoteFailure(s, tt.err, noon, 9*time.Second)
		if begun, hidden := m.begun[web].until, m.HiddenUntil(s.Identity(), false); !begun.Equal(tt.want) || !hidden.Equal(tt.want) {
			t.Errorf("%s: begun until %v, hidden until %v, want %v", name, begun, hidden, tt.want)
		}
	}
}

// A deletion that the cloud has accepted may not show in lists for some time. It is not recorded if the object was not begun.
func TestDeletionsShowLate(t *testing.T) {
	m, s := &Memory{}, &plan.Step{Key: web, Action: plan.Delete}
	if m.NoteDeleted(s, noon); len(m.begun) > 0 {
		t.Errorf("begun are %v", m.begun)
	}
	m.NoteBegun([]manifest.Key{web})
	if m.NoteDeleted(s, noon); m.begun[web] != (begun{noon.Add(listDelay), true}) {
		t.Errorf("it is %+v", m.begun[web])
	}
}

// A creation may be missing in lists until the latest of its known times.
func TestUnshown(t *testing.T) {
	for _, c := range []struct {
		name                     string
		former, unanswered, made int // seconds; 0 for none
		others                   bool
		want                     int
	}{
		{name: "nothing"},
		{name: "a killed process", former: 5, others: true, want: 5},
		{name: "which does not count", former: 5},
		{name: "unanswered", former: 5, unanswered: 9, others: true, want: 9},
		{name: "made", unanswered: 5, made: 9, want: 11},
		{name: "made before", unanswered: 50, made: 9, want: 50},
	} {
		m, s := &Memory{}, &plan.Step{Key: web}
		if c.former > 0 {
			m.NoteKilled(seconds(c.former))
			m.NoteKilled(seconds(99))
		}
		if c.unanswered > 0 {
			set(&m.unanswered, s.Identity(), seconds(c.unanswered))
		}
		if c.made > 0 {
			m.NoteMade(s, &kind.Live{ID: "id-1"}, seconds(c.made))
		}
		if got := m.HiddenUntil(s.Identity(), c.others); got.IsZero() != (c.want == 0) || c.want > 0 && !got.Equal(seconds(c.want)) {
			t.Errorf("%s: until %s", c.name, got)
		}
	}
}

// The findings about a plan can be shown for five minutes, and only with that plan.
func TestPreflightIsFreshForAWhile(t *testing.T) {
	m := &Memory{}
	m.NotePreflight("a", noon, preflight.Findings{})
	for _, c := range []struct {
		hash  string
		after time.Duration
		known bool
	}{{"a", 0, true}, {"a", 5*time.Minute - 1, true}, {"a", 5 * time.Minute, false}, {"b", 0, false}} {
		if _, known := m.Preflight(c.hash, noon.Add(c.after)); known != c.known {
			t.Errorf("%s after %s: %v", c.hash, c.after, known)
		}
	}
}
