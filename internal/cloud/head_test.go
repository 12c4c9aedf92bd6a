package cloud_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Head returns all headers of an answer, including repeated ones.
func TestHead(t *testing.T) {
	h := newHostile(t, false, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-Container-Meta-A"] = []string{"one", "two"}
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(map[bool]int{true: http.StatusOK, false: http.StatusTeapot}[r.Method == http.MethodHead && r.URL.Path == "/object-store/a b"])
	})
	got, err := h.open(t).Head(t.Context(), cloud.ObjectStore, "a%20b")
	if err != nil || strings.Join(got["X-Container-Meta-A"], " ") != "one two" {
		t.Errorf("%v, %v", got, err)
	}
}

// The answer to a refused request has no message. The error still has its class, and no headers are
// returned.
func TestHeadRefused(t *testing.T) {
	for status, class := range map[int]error{http.StatusNotFound: kind.ErrGone, http.StatusForbidden: kind.ErrForbidden, http.StatusBadRequest: kind.ErrRejected} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Container-Meta-A", "one")
			w.WriteHeader(status)
		})
		if got, err := h.open(t).Head(t.Context(), cloud.ObjectStore, "a"); got != nil || !errors.Is(err, class) {
			t.Errorf("%d: %v, %v", status, got, err)
		}
	}
}

// The client does not follow an answer to another server, and does not accept a path on another
// server.
func TestAttackHead(t *testing.T) {
	v := newVictim(t)
	h := newHostile(t, false, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, v.URL+"/x", http.StatusFound) })
	c := h.open(t)
	for _, path := range []string{"a", "//" + strings.TrimPrefix(v.URL, "http://"), v.URL, "a?b#c"} {
		if got, err := c.Head(t.Context(), cloud.ObjectStore, path); err == nil {
			t.Errorf("%s: %v", path, got)
		}
	}
	v.spared(t, "HEAD")
}
