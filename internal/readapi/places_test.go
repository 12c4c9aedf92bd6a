package readapi

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slowReader is a client that reads nothing for a while.
type slowReader struct {
	*httptest.ResponseRecorder
	reads chan struct{} // closed when the client starts to read
}

func (r slowReader) Write(text []byte) (int, error) {
	<-r.reads
	return r.ResponseRecorder.Write(text)
}

// asking starts n clients that request a path. None of them reads its answer before read is called.
func asking(t *testing.T, h *Handler, n int, path string) (all []slowReader, read func()) {
	t.Helper()
	reads, done := make(chan struct{}), sync.WaitGroup{}
	for range n {
		r := slowReader{httptest.NewRecorder(), reads}
		all = append(all, r)
		done.Go(func() { h.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)) })
	}
	synctest.Wait()
	return all, func() { close(reads); done.Wait() }
}

// A client that reads slowly blocks no other client, and gets its whole answer.
func TestAttackSlowReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
		s.shows(thingNamed("a", "in sync"), thingNamed("b", "drifted"))
		h := New(s, func() ([]Schema, error) { return nil, nil }, "test")
		for _, path := range []string{thingsPath, "/version", thingsPath + "/none"} {
			want := httptest.NewRecorder()
			h.ServeHTTP(want, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
			slow, read := asking(t, h, 3*atATime, path)
			now := httptest.NewRecorder()
			h.ServeHTTP(now, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
			if now.Code != want.Code || now.Body.String() != want.Body.String() {
				t.Errorf("%s: beside those who read slowly it is %d %s", path, now.Code, now.Body)
			}
			read()
			for _, r := range slow {
				if r.Code != want.Code || r.Body.String() != want.Body.String() || r.Header().Get("Content-Type") != "application/json" {
					t.Errorf("%s: who reads slowly reads %d %s %s", path, r.Code, r.Header(), r.Body)
				}
			}
		}
		if n := h.places.unsent.Load(); n != 0 {
			t.Errorf("%d bytes are counted that have been sent", n)
		}
	})
}

// A request that has waited too long for a place gets an error that says when to try again.
func TestAttackManyAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made, s := make(chan struct{}), NewStore([]string{"prod"}, nil, time.Unix(1, 0))
		h := New(s, func() ([]Schema, error) { <-made; return nil, nil }, "test")
		busy, read := asking(t, h, atATime, "/openapi/v3")
		late := httptest.NewRecorder()
		h.ServeHTTP(late, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/version", http.NoBody))
		if late.Code != http.StatusTooManyRequests || late.Header().Get("Retry-After") == "" {
			t.Errorf("it is answered %d %v", late.Code, late.Header())
		}
		close(made)
		read()
		for _, r := range busy {
			if r.Code != http.StatusOK {
				t.Errorf("who had a place is answered %d", r.Code)
			}
		}
		h.places.unsent.Add(maxUnsent + 1)
		full := httptest.NewRecorder()
		h.ServeHTTP(full, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/version", http.NoBody))
		if full.Code != http.StatusTooManyRequests || len(h.places.taken) != 0 {
			t.Errorf("with much that waits it is answered %d, and %d places are taken", full.Code, len(h.places.taken))
		}
	})
}
