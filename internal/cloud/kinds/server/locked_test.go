package server_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// If somebody has locked a server, its status shows that, and so does a plan that deletes the server. The
// deletion is requested only once.
func TestALockedServerIsNotTriedAgain(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	text := trapNeeds + trapServer
	g.Only(text)
	g.MustSync(text)
	id := idsOf(g.Plan(text))["Server"]
	act := func(what string) {
		t.Helper()
		if err := g.Client(nil).Do(context.WithoutCancel(t.Context()), cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + id + "/action", Body: map[string]any{what: nil}}); err != nil {
			t.Fatal(err)
		}
	}
	act("lock")
	serverOf := func(p plan.Plan) plan.Step {
		return p.Steps[slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key.Kind == "Server" })]
	}
	p := g.Plan(text)
	if s := serverOf(p); s.Action != plan.Keep || len(s.Notes) > 0 {
		t.Errorf("a lock changes nothing by itself: %+v", s)
	}
	for _, o := range status.Of(p, all.Kinds(nil, g.Defaults)) {
		if o.Kind == "Server" && !strings.Contains(o.Status.Message, "locked") {
			t.Errorf("status is silent: %+v", o.Status)
		}
	}
	p = g.Plan(trapNeeds)
	if s := serverOf(p); s.Action != plan.Delete || !slices.ContainsFunc(s.Notes, func(n kind.Note) bool { return n.Field == "locked" }) {
		t.Errorf("the plan does not say that it is locked: %+v", s)
	}
	refusals := 0
	pass := g.SyncThrough(trapNeeds, func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/servers/"+id) {
				refusals++
			}
			return next.RoundTrip(r)
		})
	})
	if refusals != 1 || pass.Outcome() == plan.InSync {
		t.Errorf("%d requests, %s", refusals, pass.Outcome())
	}
	act("unlock")
}
