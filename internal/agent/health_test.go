package agent

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

func TestReadyOnceEveryStackWasSeen(t *testing.T) {
	h := NewHealth([]string{"a", "b"})
	handler := h.Handler(http.NotFoundHandler())
	ready := func() (int, string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return w.Code, w.Body.String()
	}
	h.Ran(report.Run{Stack: "a", Pass: &engine.Pass{}})
	h.Ran(report.Run{Stack: "b"})
	h.Ran(report.Run{Stack: "b", Pass: &engine.Pass{First: plan.Plan{Lists: plan.Lists{Unlisted: []string{"Network: 503"}}}}})
	if code, text := ready(); code != http.StatusServiceUnavailable || !strings.Contains(text, "b") || strings.Contains(text, "a,") {
		t.Errorf("%d %q before b was seen; want 503 that names b", code, text)
	}
	h.Ran(report.Run{Stack: "b", Pass: &engine.Pass{}})
	h.Ran(report.Run{Stack: "b", Pass: &engine.Pass{First: plan.Plan{Lists: plan.Lists{Unlisted: []string{"Network: 503"}}}}})
	if code, _ := ready(); code != http.StatusOK {
		t.Errorf("%d after all were seen, want 200", code)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	if w.Code != http.StatusOK {
		t.Errorf("healthz says %d", w.Code)
	}
}

// If another agent serves a stack, that agent reports a refused commit of the stack, and this agent does not.
func TestReadyForgetsAStack(t *testing.T) {
	h := NewHealth(nil)
	h.Ran(report.Run{Stack: "a", Refused: &report.Refusal{Commit: "one", Problems: manifest.Problems{{What: "a"}}}})
	h.Forget("a")
	w := httptest.NewRecorder()
	h.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if text := w.Body.String(); text != "ok\n" {
		t.Errorf("%q", text)
	}
}

// Everybody who can reach the listener can read this page, so it contains nothing from a private repository.
func TestAttackReadyShowsNoRepository(t *testing.T) {
	h := NewHealth(nil)
	problem := manifest.Problem{Origin: manifest.Origin{File: "customers/acme.yaml", Line: 4}, What: "hunter2 is no address"}
	h.Ran(report.Run{Stack: "a", Refused: &report.Refusal{Commit: "0123456789abcdef", Back: "customers/acme.yaml", Problems: manifest.Problems{problem}}})
	w := httptest.NewRecorder()
	h.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if text := w.Body.String(); text != "ok\na: refused commit 0123456789, keeping nothing\n" {
		t.Errorf("%q", text)
	}
}

// If the folders of a document are unknown, the agent is not ready. If the earlier folders are still served, it is ready.
func TestReadySaysWhoseFoldersAreNotKnown(t *testing.T) {
	h := NewHealth(nil)
	ready := func() (int, string) {
		w := httptest.NewRecorder()
		h.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return w.Code, w.Body.String()
	}
	h.Unlisted("prod", false)
	h.Unlisted("test", true)
	if code, text := ready(); code != http.StatusServiceUnavailable || !strings.Contains(text, "not seen yet: prod\nprod: the folders of the document are not known\n") || strings.Count(text, "\n") != 3 {
		t.Errorf("%d %q", code, text)
	}
	h.Listed("prod", []string{"prod-eu"})
	if code, text := ready(); code != http.StatusServiceUnavailable || !strings.Contains(text, "not seen yet: prod-eu\n") {
		t.Errorf("%d %q", code, text)
	}
	h.Forget("prod-eu") // its folder was removed
	if code, text := ready(); code != http.StatusOK || text != "ok\ntest: the folders of the document are not known\n" {
		t.Errorf("%d %q", code, text)
	}
	h.Listed("test", []string{"test-eu"})
	if code, text := ready(); code != http.StatusOK || text != "ok\n" {
		t.Errorf("%d %q", code, text)
	}
}
