package server_test

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// shownOtherwise is a target. Once on is set, it replaces matches of pattern in lists of servers.
func shownOtherwise(t *testing.T, on *atomic.Bool, pattern, by string) *kindtest.Target {
	return kindtest.NewTarget(t, kinds).Through(func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err != nil || !on.Load() || !strings.Contains(r.URL.Path, "/servers/detail") {
				return resp, err
			}
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				return nil, err
			}
			text = regexp.MustCompile(pattern).ReplaceAll(text, []byte(by))
			resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
			resp.Header.Del("Content-Length")
			return resp, nil
		})
	})
}

// After a resize to another cell, Nova shows a server without its key pair. The agent does not replace
// the server. (Launchpad 2108974)
func TestALostKeyNameReplacesNothing(t *testing.T) {
	var lost atomic.Bool
	g := shownOtherwise(t, &lost, `"key_name": ?"[^"]*"`, `"key_name":null`)
	doc := needs + keyPair + "---" + strings.Replace(object, "ports: []", "ports: []\n    keypairRef: server-laws", 1)
	g.MustSync(doc)
	lost.Store(true)
	for _, s := range g.Plan(doc).Steps {
		if s.Key == key && (s.Action != plan.Keep || len(s.Notes) == 0) {
			t.Errorf("%s: %s, %v; want it kept, with a note", s.Action, s.FullCause(), s.Changes)
		}
	}
	later := strings.Replace(doc, "tags: [web, blue]", "tags: [web, green]", 1)
	for range 2 { // the second time, the manifest is already applied
		for _, s := range g.Planner(later)(later).Steps { // this planner may replace objects
			if s.Key == key && s.Action != plan.Update && s.Action != plan.Keep || s.Key == key && kind.Has(s.Changes, "spec.resource.keypairRef") {
				t.Errorf("a later commit: %s: %s, %v", s.Action, s.FullCause(), s.Changes)
			}
		}
		g.MustSync(later)
	}
	other := strings.Replace(later, "    keypairRef: server-laws\n", "", 1)
	for _, s := range g.Planner(other)(other).Steps {
		if s.Key == key && s.Action != plan.Recreate {
			t.Errorf("without a key: %s: %s, %v; want it replaced, as it was made with one", s.Action, s.FullCause(), s.Changes)
		}
	}
}

// If an administrator moves a server to another host, that is not drift.
// (ovh/terraform-provider-ovh#1108)
func TestAServerThatMigratesHasNotDrifted(t *testing.T) {
	var moves atomic.Bool
	g := shownOtherwise(t, &moves, `"status": ?"ACTIVE"`, `"status":"MIGRATING"`)
	doc := needs + "\n---\n" + object
	g.MustSync(doc)
	moves.Store(true)
	for _, s := range g.Plan(doc).Steps {
		if s.Key == key && (s.Action != plan.Wait || s.Drift || s.Error) {
			t.Errorf("%s: %s, drift %v; want that it is waited for", s.Action, s.FullCause(), s.Drift)
		}
	}
}
