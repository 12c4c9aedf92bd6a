package readapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
)

var thing = manifest.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}

func thingNamed(name, state string) draft {
	return draft{item: item{gvk: thing, name: name, namespace: "prod", fields: map[string]string{"status.state": state}, cells: clean(name)}, whole: map[string]any{"status": state}}
}

// shows replaces the items of stack prod in a store.
func (s *Store) shows(drafts ...draft) {
	s.showsOf("prod", drafts...)
}

func (s *Store) showsOf(name string, drafts ...draft) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	v, newest := s.views[name].with(append(drafts, namespace(name), stack(name, nil, nil)), s.version, s.views[name].since, false)
	s.show(name, v, newest)
}

// An unchanged item keeps its version and its text.
func TestVersionsOfWhatStays(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"), thingNamed("b", "in sync"))
	before := s.items(s.at(""), thing)
	s.shows(thingNamed("a", "in sync"), thingNamed("b", "drifted"))
	after := s.items(s.at(""), thing)
	if before[0].version != after[0].version || before[1].version == after[1].version {
		t.Errorf("versions were %d %d and are %d %d", before[0].version, before[1].version, after[0].version, after[1].version)
	}
	if &before[0].text[0] != &after[0].text[0] {
		t.Error("what stayed as it was is held twice")
	}
}

// A run that could not read the cloud does not change the objects.
func TestARunWithoutAPass(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	s.Ran(report.Run{Stack: "prod", Started: time.Unix(0, 0), FetchErr: fmt.Errorf("no route to the repository")})
	if items := s.items(s.at(""), thing); len(items) != 1 {
		t.Errorf("%d are left, want the one that was there", len(items))
	}
	if state := s.items(s.at(""), stackGVK)[0]; !strings.Contains(string(state.text), "no route to the repository") {
		t.Errorf("the stack does not say why: %s", state.text)
	}
}

// The time of a condition is the time of its last change, not of the last run that confirmed it.
func TestConditionsSaySinceWhen(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(0, 0))
	since := func() string {
		var of struct {
			Status struct {
				Conditions []struct{ Status, LastTransitionTime string }
			}
		}
		if err := json.Unmarshal(s.items(s.at(""), stackGVK)[0].text, &of); err != nil {
			t.Fatal(err)
		}
		return of.Status.Conditions[0].Status + " " + of.Status.Conditions[0].LastTransitionTime
	}
	check := func(want string) {
		t.Helper()
		if got := since(); got != want {
			t.Errorf("it is %s, want %s", got, want)
		}
	}
	check("Unknown 1970-01-01T00:00:00Z")
	for minute := range 3 {
		s.Ran(report.Run{Stack: "prod", Started: time.Unix(int64(60*minute), 0), Took: 10 * time.Second, FetchErr: fmt.Errorf("no route %d", minute)})
		s.progress("prod", minute+1, engine.Progress{Total: 3}, nil)
		check("False 1970-01-01T00:00:10Z")
	}
	s.ShowElsewhere("prod", Other{Agent: "b", State: inSync, Looked: time.Unix(300, 0)})
	check("True 1970-01-01T00:05:00Z")
}

func TestEventsAreCounted(t *testing.T) {
	at := func(second int64, message string) report.Event {
		when := time.Unix(second, 0)
		return report.Event{Key: manifest.Key{Kind: "Thing", Name: "a"}, Reason: "Failed", Message: message, First: when, Last: when, Count: 1}
	}
	var all []report.Event
	for second := range int64(3) {
		all = remember(all, []report.Event{at(second, "no")})
	}
	if len(all) != 1 || all[0].Count != 3 || all[0].First.Unix() != 0 || all[0].Last.Unix() != 2 {
		t.Errorf("%+v", all)
	}
	for n := range int64(3 * maxEvents) {
		all = remember(all, []report.Event{at(n, fmt.Sprint("no ", n))})
	}
	if len(all) != maxEvents || all[len(all)-1].Message != fmt.Sprint("no ", 3*maxEvents-1) {
		t.Errorf("%d events, the last is %s", len(all), all[len(all)-1].Message)
	}
}

// watched starts a server for a store. open opens a watch from a version.
func watched(t *testing.T, s *Store) (open func(query string) *http.Response) {
	t.Helper()
	server := httptest.NewServer(New(s, func() ([]Schema, error) { return nil, nil }, "test"))
	t.Cleanup(server.Close)
	t.Cleanup(s.Close)
	return func(query string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/apis/example.com/v1/things?watch=true"+query, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		return resp
	}
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	var b strings.Builder
	if err := resp.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A client that has listed at a version receives all later changes. If they are no longer stored, it must list
// again.
func TestWatchFromAVersion(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"), thingNamed("b", "in sync"))
	listed := s.at("").version
	s.shows(thingNamed("a", "in sync"), thingNamed("b", "drifted"))
	open := watched(t, s)
	later := open(fmt.Sprint("&resourceVersion=", listed))
	selected := open("&fieldSelector=status.state%3Ddrifted")
	s.shows(thingNamed("a", "in sync"))
	late := open(fmt.Sprint("&resourceVersion=", listed))
	s.Close()
	heard := text(t, later)
	if strings.Contains(heard, `"name":"a"`) || !strings.Contains(heard, `"name":"b"`) {
		t.Errorf("who has listed before hears:\n%s", heard)
	}
	_, gone, _ := strings.Cut(heard, fmt.Sprintf(`"resourceVersion":"%d"`, s.at("").version-1))
	if !strings.Contains(gone, "DELETED") || !strings.Contains(gone, fmt.Sprintf(`"resourceVersion":"%d"`, s.at("").version)) {
		t.Errorf("that something has gone is no newer than what was before:\n%s", heard)
	}
	if got := text(t, selected); strings.Contains(got, `"name":"a"`) || !strings.Contains(got, "ADDED") || !strings.Contains(got, "DELETED") {
		t.Errorf("who selects hears:\n%s", got)
	}
	if got := text(t, late); !strings.Contains(got, `"code":410`) {
		t.Errorf("who does not know that something has gone hears:\n%s", got)
	}
}

// A watch with initial events sends all items, even if the client has received a newer version. This is needed
// because client-go drops its items when it starts again.
func TestWatchThatBeginsWithAList(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"), thingNamed("b", "in sync"), thingNamed("c", "in sync"))
	listed := s.at("").version
	s.shows(thingNamed("a", "in sync"), thingNamed("b", "drifted"))
	open := watched(t, s)
	const begin = "&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&resourceVersion="
	older, newest := open(fmt.Sprint(begin, listed)), open(fmt.Sprint(begin, s.at("").version))
	other, future := open(begin+"7"), open(fmt.Sprint(begin, s.at("").version+1000))
	s.Close()
	for name, resp := range map[string]*http.Response{"an older version": older, "the newest": newest} {
		heard := text(t, resp)
		all, _, ended := strings.Cut(heard, "k8s.io/initial-events-end")
		if strings.Count(all, "ADDED") != 2 || !strings.Contains(all, `"name":"a"`) || !strings.Contains(all, `"name":"b"`) || !ended {
			t.Errorf("who begins with %s hears:\n%s", name, heard)
		}
	}
	for name, resp := range map[string]*http.Response{"another process": other, "the future": future} {
		if heard := text(t, resp); !strings.Contains(heard, `"code":410`) {
			t.Errorf("who begins with a version of %s hears:\n%s", name, heard)
		}
	}
}

func TestAttackWatchers(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	open := watched(t, s)
	for range watchers {
		if resp := open(""); resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
	}
	if resp := open(""); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one more is answered %s", resp.Status)
	}
}

// The owner of an item and the object of an event are found by uid, which is always the same for one object.
func TestWhatItemsAreKnownBy(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	child := thingNamed("b", "in sync")
	child.owner = owner{thing, id{"a", "other"}}
	parent := thingNamed("a", "in sync")
	parent.labels = map[string]string{namespaceLabel: "other"}
	about := report.Event{Key: manifest.Key{Group: thing.Group, Kind: thing.Kind, Namespace: "other", Name: "a"}, Reason: "Created", First: time.Unix(7, 0)}
	s.shows(thingNamed("a", "in sync"), parent, child, event("prod", "example.com/v1", about))
	type object struct {
		Metadata       metadata
		InvolvedObject struct{ UID string }
	}
	read := func(gvk manifest.GroupVersionKind) (list []object) {
		for _, i := range s.items(s.at(""), gvk) {
			var o object
			if err := json.Unmarshal(i.text, &o); err != nil {
				t.Fatal(err)
			}
			list = append(list, o)
		}
		return list
	}
	things, events := read(thing), read(eventGVK)
	if len(things) != 3 || len(events) != 1 || len(things[2].Metadata.OwnerReferences) != 1 {
		t.Fatalf("%+v %+v", things, events)
	}
	if things[0].Metadata.UID == things[1].Metadata.UID || len(things[0].Metadata.UID) != 36 {
		t.Errorf("two of a name are %s and %s", things[0].Metadata.UID, things[1].Metadata.UID)
	}
	if got := things[2].Metadata.OwnerReferences[0].UID; got != things[1].Metadata.UID {
		t.Errorf("%s owns it, which is nobody", got)
	}
	if got := events[0].InvolvedObject.UID; got != things[1].Metadata.UID {
		t.Errorf("the event is about %s, which is nobody", got)
	}
	if got := events[0].Metadata.Created; got != "1970-01-01T00:00:07Z" {
		t.Errorf("the event is of %q", got)
	}
}
