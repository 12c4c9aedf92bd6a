package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A stack owns an object if the object has its mark, is in its own project, and is in the collection that the mark
// names.
func TestWhoOwnsAnObject(t *testing.T) {
	e := &Engine{Stack: "s"}
	key := manifest.Key{Kind: "Thing", Name: "a"}
	for name, c := range map[string]struct {
		mark string
		own  bool
		kind string
		want bool
	}{
		"ours":                  {ownertext.Of("s", key), true, "Thing", true},
		"another stack's":       {ownertext.Of("other", key), true, "Thing", false},
		"in another project":    {ownertext.Of("s", key), false, "Thing", false},
		"in another collection": {ownertext.Of("s", key), true, "Other", false},
		"no owner text":         {"something", true, "Thing", false},
		"nobody's":              {"", true, "Thing", false},
	} {
		l := &kind.Live{InOwnProject: c.own}
		if c.mark != "" {
			l.Mark = &kind.Mark{Owner: c.mark}
		}
		if got := e.owns(c.kind, l); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if !e.owns("Thing", &kind.Live{InOwnProject: true, Mark: &kind.Mark{Owner: ownertext.Of("other", key), Rivals: ownertext.Of("s", key)}}) {
		t.Error("a second owner is none")
	}
}

// A place is listed again if the stack owns an object there, or an object that it shows was written through another entry.
func TestPlacesThatShowWhatWasWritten(t *testing.T) {
	e := &Engine{Stack: "s", Entries: []Entry{{Name: "b"}}}
	mark := &kind.Mark{Owner: ownertext.Of("s", manifest.Key{Kind: "Thing", Name: "a"})}
	view := func(entry string) kind.Live {
		return kind.Live{ID: "id", Entry: entry, InOwnProject: true, Mark: mark}
	}
	both := view("")
	both.OtherViews = []kind.Live{view(""), view("b")}
	strange := both
	strange.Mark = nil
	for name, c := range map[string]struct {
		item  kind.Live
		err   error
		wrote map[string]bool
		want  bool
	}{
		"owned there":                     {view("b"), nil, nil, true},
		"owned there, and may not list":   {view("b"), kind.ErrForbidden, nil, false},
		"owned elsewhere":                 {view(""), nil, nil, false},
		"shown there, and written":        {both, nil, map[string]bool{"": true}, true},
		"shown there, and not written":    {both, nil, map[string]bool{"c": true}, false},
		"not shown there, and written":    {view(""), nil, map[string]bool{"": true}, false},
		"somebody's, and perhaps written": {strange, nil, map[string]bool{"": true}, false},
	} {
		part := kind.Shown{Entry: "b", Err: c.err, Refused: c.err != nil}
		places := e.placesOf("Thing", kind.Collection{Items: []*kind.Live{&c.item}, Parts: []kind.Shown{part}}, nil, c.wrote)
		if got := len(places) == 1; got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A part that is not listed now has the items of its previous list. An entry whose list failed has no items.
func TestListsOfSeveralEntries(t *testing.T) {
	main, other := newDoors()
	e := entered(main, other)
	item := func(id string) []*kind.Live { return []*kind.Live{{ID: id}} }
	before := []kind.Shown{{Entry: "", Items: item("main")}, {Entry: "other", Items: item("other")}}
	none := func(*kind.Live) (string, bool) { return "", false }
	c := e.joined("Thing", nil, before, none)
	if len(c.Parts) != 2 || len(c.Items) != 2 {
		t.Errorf("%d parts, %d objects", len(c.Parts), len(c.Items))
	}
	c = mergeLists([]kind.Shown{{Items: item("a")}, {Entry: "b", Items: item("b"), Err: errors.New("503")}}, none)
	if len(c.Items) != 1 || len(c.Parts) != 2 {
		t.Errorf("%d objects", len(c.Items))
	}
	if have := engineOf(thingtest.New()).Observe(t.Context(), nil)["Thing"]; have.Parts != nil || have.Err != nil {
		t.Errorf("one entry has parts: %v", have.Parts)
	}
	opened := 0
	open := e.Entries[0].Open
	e.Entries[0].Open = func(ctx context.Context) (Access, error) { opened++; return open(ctx) }
	e.logIn(t.Context())
	e.logIn(t.Context())
	if opened != 1 {
		t.Errorf("logged in %d times", opened)
	}
}

// If no manifest describes the object of a step, each entry that shows the object is tried, until the cloud allows the
// step through one of them.
func TestStepsThroughOtherEntries(t *testing.T) {
	for name, c := range map[string]struct {
		main, other bool // whether the cloud refuses deletions through the entry
		tried       int
		fails       bool
	}{"the first may": {false, false, 1, false}, "the second may": {true, false, 2, false}, "none may": {true, true, 2, true}} {
		main, other := newDoors()
		main.readOnly, other.readOnly = c.main, c.other
		e := entered(main, other)
		e.logIn(t.Context())
		x := main.Put(thingtest.Thing{Name: "a"})
		view := func(entry string) kind.Live {
			return kind.Live{ID: x.ID, Name: "a", Entry: entry, State: &thingtest.Thing{ID: x.ID, Name: "a"}}
		}
		have := view("")
		have.OtherViews = []kind.Live{view(""), view("other")}
		o := e.perform(t.Context(), plan.Step{Key: thingtest.Key("a"), Action: plan.Delete, Object: plan.Object{Have: &have}})
		if len(o.entries) != c.tried || errors.Is(o.result.Err, kind.ErrForbidden) != c.fails || o.gone == c.fails {
			t.Errorf("%s: %q, gone %t, %v", name, o.entries, o.gone, o.result.Err)
		}
	}
}

// An interrupted pass has no faults. Times that are not set get their defaults.
func TestFaultsAndTimes(t *testing.T) {
	p := Pass{Failures: []Failure{{Key: thingtest.Key("a"), Fault: "x"}, {Key: thingtest.Key("b")}}}
	if faults := p.Faults(); len(faults) != 1 || faults[thingtest.Key("a")].Reason != "x" {
		t.Errorf("%v", faults)
	}
	if p.Interrupted = true; len(p.Faults()) > 0 {
		t.Errorf("interrupted: %v", p.Faults())
	}
	want := Timing{Poll: 500 * time.Millisecond, PollMax: 5 * time.Second, PendingWait: 15 * time.Minute, BusyWait: 2 * time.Minute, Backoff: time.Second, UnansweredWait: 3 * time.Minute, MaxListAge: time.Minute, Grace: 30 * time.Second, Tries: 4}
	if got := (Timing{}).orDefaults(); got != want {
		t.Errorf("%+v", got)
	}
	want = Timing{Poll: 1, PollMax: 2, PendingWait: 3, BusyWait: 4, Backoff: 5, UnansweredWait: 6, KilledWait: 7, MaxListAge: 8, Grace: 9, Tries: 10}
	if got := want.orDefaults(); got != want {
		t.Errorf("%+v", got)
	}
}

// A survey lists each collection of the cloud, completely. An engine that makes plans excuses lists that are refused, too.
func TestSurveys(t *testing.T) {
	g := &guarded{World: thingtest.New()}
	e := privilegedEngine(t, g)
	e.Kinds = append(e.Kinds, thingtest.Flock())
	if have := e.Survey(t.Context()); len(have) != 1 || g.lists != 1 {
		t.Errorf("%d collections, %d lists", len(have), g.lists)
	}
	g.refusal = kind.ErrForbidden
	if p := e.Preview(t.Context(), "c", nil, nil); p.Outcome() != plan.InSync {
		t.Errorf("a plan without such a kind: %s", p.Outcome())
	}
}
