package readapi

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
)

// listening starts a client that watches things, in a synctest bubble. heard returns the number of events that
// have arrived.
func listening(t *testing.T, h *Handler, query string) (heard func() int) {
	t.Helper()
	r := &reader{header: http.Header{}}
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		h.ServeHTTP(r, httptest.NewRequestWithContext(ctx, http.MethodGet, thingsPath+"?watch=true"+query, http.NoBody))
		close(done)
	}()
	t.Cleanup(func() { leave(); <-done })
	return func() int {
		synctest.Wait()
		return strings.Count(r.heard.String(), "\n")
	}
}

// A change after a time without changes is sent immediately. Continuous changes are sent together.
func TestWatchesArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
		s.shows(thingNamed("a", "in sync"))
		heard := listening(t, New(s, nil, "test"), "")
		if n := heard(); n != 1 {
			t.Errorf("%d events at once", n)
		}
		time.Sleep(pause)
		s.shows(thingNamed("a", "drifted"))
		if n := heard(); n != 2 {
			t.Errorf("%d events after one has changed", n)
		}
		for n := range 100 {
			time.Sleep(pause / 10)
			s.shows(thingNamed("a", fmt.Sprint(n)))
		}
		time.Sleep(2 * pause)
		if n := heard(); n < 10 || n > 14 {
			t.Errorf("%d events after a hundred changes in the time of ten pauses", n)
		}
		s.progress("prod", 0, engine.Progress{Total: 7}, nil) // no client watches this
		heard()
		s.shows(thingNamed("a", "in sync"))
		before := heard()
		time.Sleep(pause)
		if n := heard(); n != before {
			t.Errorf("what has changed was told after %d events, later than what others do not watch", before)
		}
	})
}

// A client that may no longer read receives no more events, and is soon disconnected, whether there are changes
// or not.
func TestAttackWatchOfWhoMayReadNoMore(t *testing.T) {
	for _, changes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
			s.shows(thingNamed("a", "in sync"))
			h, r := New(s, nil, "test"), &reader{header: http.Header{}}
			var out atomic.Bool
			h.Admits = func(context.Context) bool { return !out.Load() }
			done := make(chan struct{})
			go func() {
				h.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), http.MethodGet, thingsPath+"?watch=true", http.NoBody))
				close(done)
			}()
			time.Sleep(beat * 5 / 2)
			synctest.Wait()
			out.Store(true)
			began := time.Now()
			if changes {
				s.shows(thingNamed("a", "drifted"))
			}
			<-done
			if took := time.Since(began); took > beat || changes && took > pause {
				t.Errorf("it lasts for %s more", took)
			}
			if n := strings.Count(r.heard.String(), "\n"); n != 1 {
				t.Errorf("they hear %d events:\n%s", n, &r.heard)
			}
		})
	}
}

// slow is a client that needs a long time to read an event.
type slow struct{ reader }

func (s *slow) Write(text []byte) (int, error) {
	time.Sleep(patience - time.Second)
	return s.reader.Write(text)
}

// A client that reads slowly cannot extend its watch beyond its time limit or beyond the validity of its token.
func TestAttackWatchThatIsReadSlowly(t *testing.T) {
	for _, query := range []string{"", "&sendInitialEvents=true", "&timeoutSeconds=120"} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
			var list []draft
			for n := range 1000 {
				list = append(list, thingNamed(fmt.Sprintf("a%04d", n), "in sync"))
			}
			s.shows(list...)
			h, r := New(s, nil, "test"), &slow{reader{header: http.Header{}}}
			began, most := time.Now(), 2*time.Minute
			if query != "&timeoutSeconds=120" {
				h.Admits = func(context.Context) bool { return time.Since(began) < time.Minute }
				most = time.Minute + beat
			}
			h.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), http.MethodGet, thingsPath+"?watch=true"+query, http.NoBody))
			if took, heard := time.Since(began), strings.Count(r.heard.String(), "\n"); took > most+patience || heard < 6 {
				t.Errorf("%q: it lasts for %s, %d events", query, took, heard)
			}
		})
	}
}

// Changes of other kinds cause no comparison. Deletions do.
func TestNewestOfAKind(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	check := func(what string, changes bool, do func()) {
		t.Helper()
		before := s.at("")
		do()
		after := s.at("")
		if (after.newest(thing) != before.newest(thing)) != changes || after.newest(thing) > after.version || after.version == before.version {
			t.Errorf("%s: newest %d, then %d, of %d", what, before.newest(thing), after.newest(thing), after.version)
		}
		if was, is := before.differing(after, thing); (len(is.views) > 0) != changes || len(was.views) != len(is.views) {
			t.Errorf("%s: %d stacks are compared", what, len(is.views))
		}
	}
	check("comes", true, func() { s.shows(thingNamed("a", "in sync"), thingNamed("b", "in sync")) })
	check("progress", false, func() { s.progress("prod", 0, engine.Progress{Total: 7}, nil) })
	check("the run ends", false, func() { s.Ran(report.Run{Stack: "prod", Started: time.Unix(1, 0)}) })
	check("changes", true, func() { s.shows(thingNamed("a", "drifted"), thingNamed("b", "in sync")) })
	check("goes", true, func() { s.shows(thingNamed("a", "drifted")) })
	check("all go", true, func() { s.ShowElsewhere("prod", Other{Agent: "b"}) })
}

// A selector with many more conditions than people write is refused.
func TestAttackLongSelectors(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	ask := served(t, s)
	for _, c := range []struct {
		labels, fields string
		code           int
	}{
		{strings.Repeat("a,", maxTerms-2) + "a", "metadata.name=a", http.StatusOK},
		{strings.Repeat("a,", maxTerms-1) + "a", "metadata.name=a", http.StatusBadRequest},
		{"a in (" + strings.Repeat("b,", maxTerms) + "b)", "", http.StatusBadRequest},
		{"", strings.Repeat("metadata.name=a,", maxTerms) + "metadata.name=a", http.StatusBadRequest},
	} {
		for _, watch := range []string{"", "&watch=true"} {
			if c.code == http.StatusOK && watch != "" {
				continue
			}
			if code, text := ask(http.MethodGet, thingsPath+"?labelSelector="+url.QueryEscape(c.labels)+"&fieldSelector="+url.QueryEscape(c.fields)+watch, ""); code != c.code {
				t.Errorf("%.20s %.20s%s: %d %.200s", c.labels, c.fields, watch, code, text)
			}
		}
	}
}
