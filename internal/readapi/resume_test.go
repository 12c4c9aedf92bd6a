package readapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// reader is the client's side of a watch. It ends after enough events.
type reader struct {
	header http.Header
	enough int // number of events; 0 for all
	heard  strings.Builder
}

func (r *reader) Header() http.Header              { return r.header }
func (r *reader) WriteHeader(int)                  {}
func (r *reader) FlushError() error                { return nil }
func (r *reader) SetWriteDeadline(time.Time) error { return nil }

func (r *reader) Write(text []byte) (int, error) {
	if r.enough > 0 && strings.Count(r.heard.String(), "\n") >= r.enough {
		return 0, errors.New("the client has gone")
	}
	return r.heard.Write(text)
}

// cache contains the items of a kind that a client has, by place, and the newest version that it has received.
type cache struct {
	held    map[string]string
	version int
}

// hears applies events as client-go does. expired means that the client must list again.
func (c *cache) hears(t *testing.T, text string) (expired bool) {
	t.Helper()
	for line := range strings.Lines(text) {
		var event struct {
			Type   string
			Object struct {
				Code     int
				Metadata metadata
			}
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		of := event.Object.Metadata
		version, _ := strconv.Atoi(of.ResourceVersion) // an error event has no version
		key := of.Namespace + "/" + of.Name
		switch event.Type {
		case "ERROR":
			return event.Object.Code == http.StatusGone
		case "DELETED":
			delete(c.held, key)
		case "ADDED", "MODIFIED":
			c.held[key] = of.ResourceVersion
		}
		if version < c.version {
			t.Errorf("after version %d comes %s", c.version, line)
		}
		c.version = version
	}
	return false
}

const thingsPath = "/apis/example.com/v1/things"

// lists returns the cache of a client that has just listed.
func lists(t *testing.T, h *Handler, query string) *cache {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, thingsPath+"?"+query, http.NoBody))
	var list struct {
		Metadata metadata
		Items    []struct{ Metadata metadata }
	}
	if err := json.NewDecoder(io.Reader(w.Body)).Decode(&list); err != nil {
		t.Fatal(err)
	}
	c := &cache{held: map[string]string{}}
	c.version, _ = strconv.Atoi(list.Metadata.ResourceVersion)
	for _, i := range list.Items {
		c.held[i.Metadata.Namespace+"/"+i.Metadata.Name] = i.Metadata.ResourceVersion
	}
	return c
}

// watches starts a watch at the newest version of the cache. It ends after enough events, or when the store is closed.
func (c *cache) watches(t *testing.T, h *Handler, query string, enough int) *reader {
	t.Helper()
	r := &reader{header: http.Header{}, enough: enough}
	h.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprint(thingsPath, "?watch=true&resourceVersion=", c.version, "&", query), http.NoBody))
	return r
}

// history changes the content of two stacks: items are added, changed, deleted, or left unchanged. The same seed
// results in the same changes.
type history struct{ *rand.Rand }

func newHistory(seed uint64) history { return history{rand.New(rand.NewPCG(seed, 0))} }

func (y history) goesOn(s *Store) { y.shows(s, 3) }

// comes makes the same changes as goesOn, but no deletions.
func (y history) comes(s *Store) { y.shows(s, 0) }

// shows leaves out one of out items. If out is 0, it leaves out none.
func (y history) shows(s *Store, out int) {
	for _, stack := range []string{"prod", "test"} {
		drafts := []draft{}
		for n := range 8 {
			if out > 0 && y.IntN(out) == 0 && !(n == 7 && stack == "test") { // one item always exists, so that the kind exists
				continue
			}
			state := y.IntN(2)
			d := thingNamed(fmt.Sprint("thing-", n), []string{"in sync", "drifted"}[state])
			d.namespace, d.labels = stack, []map[string]string{nil, {"drifts": ""}}[state]
			drafts = append(drafts, d)
		}
		s.showsOf(stack, drafts...)
	}
}

// If a client resumes a broken watch from its last event, it finally has exactly the existing items, or must
// list again. It must list again only if something was deleted in between.
func TestWatchesResume(t *testing.T) {
	testcost.Long(t)
	expired, exact, afterEnd := 0, 0, 0
	for seed := range uint64(12) {
		for enough, more := 1, true; more; enough++ {
			synctest.Test(t, func(t *testing.T) {
				y := newHistory(seed)
				s := NewStore([]string{"prod", "test"}, nil, time.Unix(1, 0))
				h := New(s, nil, "test")
				y.goesOn(s)
				c := lists(t, h, "")
				var r *reader
				done := make(chan struct{})
				go func() { r = c.watches(t, h, "", enough); close(done) }()
				synctest.Wait()
				for range 3 {
					y.goesOn(s)
				}
				time.Sleep(time.Minute)
				s.Close()
				<-done
				c.hears(t, r.heard.String())
				more = strings.Count(r.heard.String(), "\n") == enough
				rest := c.watches(t, h, "", 0)
				now, gone := s.at(""), s.at("").deletedVersion(thing)
				switch since := c.version; {
				case c.hears(t, rest.heard.String()):
					expired++
					if gone <= since {
						t.Errorf("seed %d, after %d events: version %d has expired, and nothing has gone since %d", seed, enough, since, gone)
					}
					return
				case gone <= since && strings.Contains(r.heard.String(), "DELETED"):
					afterEnd++
				}
				exact++
				if want := lists(t, h, "").held; !maps.Equal(c.held, want) {
					t.Errorf("seed %d, after %d events, at version %d: the client holds\n%v, and there is\n%v", seed, enough, now.version, c.held, want)
				}
			})
		}
	}
	if expired == 0 || exact == 0 || afterEnd == 0 {
		t.Errorf("%d watches expired, %d were resumed, %d of them after the last had gone", expired, exact, afterEnd)
	}
}

// An item that is no longer selected is also removed from the cache of a client that resumes. An item that the
// client's condition on metadata.name excludes is not sent, because the client cannot have it.
func TestSelectedWatchesResume(t *testing.T) {
	const drifted = "fieldSelector=status.state%3Ddrifted"
	left := 0
	for seed := range uint64(100) {
		s := NewStore([]string{"prod", "test"}, nil, time.Unix(1, 0))
		h, y := New(s, nil, "test"), newHistory(seed)
		y.goesOn(s)
		selects := []string{drifted, "labelSelector=drifts", drifted + ",metadata.name%3Dthing-1"}[seed%3]
		c := lists(t, h, selects)
		before := maps.Clone(c.held)
		y.comes(s)
		s.Close()
		rest := c.watches(t, h, selects, 0)
		if c.hears(t, rest.heard.String()) {
			t.Fatalf("seed %d: nothing has gone, and the version has expired", seed)
		}
		want := lists(t, h, selects).held
		if !maps.Equal(c.held, want) {
			t.Errorf("seed %d, %s: the client holds\n%v, and there is\n%v", seed, selects, c.held, want)
		}
		if strings.Contains(selects, "metadata.name") && strings.Contains(rest.heard.String(), `"name":"thing-2"`) {
			t.Errorf("seed %d: who selects thing-1 hears\n%s", seed, &rest.heard)
		}
		for key := range before {
			if _, still := want[key]; !still {
				left++
			}
		}
	}
	if left == 0 {
		t.Error("all that was selected is selected still")
	}
}

// A watch that begins with a list can be resumed in the middle of that list. The same is true for a watch of the
// items that existed at the start of the process.
func TestInitialEventsResume(t *testing.T) {
	for enough := range 16 {
		s := NewStore([]string{"prod", "test"}, nil, time.Unix(1, 0))
		h := New(s, nil, "test")
		newHistory(1).goesOn(s)
		s.Close()
		c := &cache{held: map[string]string{}}
		c.hears(t, c.watches(t, h, "", enough+1).heard.String())
		c.hears(t, c.watches(t, h, "", 0).heard.String())
		if want := lists(t, h, "").held; !maps.Equal(c.held, want) {
			t.Errorf("after %d events: the client holds\n%v, and there is\n%v", enough+1, c.held, want)
		}
		versions := map[int]bool{}
		for _, v := range s.at("").views {
			for _, items := range v.items {
				for _, i := range items {
					if versions[i.version] {
						t.Errorf("two items have version %d", i.version)
					}
					versions[i.version] = true
				}
			}
		}
	}
}
