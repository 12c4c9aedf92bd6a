package project_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// refusing is a transport that answers lists of all projects with a 403 while on is set.
type refusing struct {
	next http.RoundTripper
	on   bool
}

func (r *refusing) wrap(next http.RoundTripper) http.RoundTripper {
	r.next = next
	return r
}

// RoundTrip implements http.RoundTripper.
func (r *refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	if !r.on || req.Method != http.MethodGet || !strings.HasSuffix(req.URL.Path, "/v3/projects") {
		return r.next.RoundTrip(req)
	}
	answer := kindtest.Weather{Name: "403", Spoil: kindtest.Answer(http.StatusForbidden)}
	return answer.Spoil(req, r.next)
}

// If the list of projects is refused, a managed project does not count as deleted. It is
// neither created a second time nor forgotten, and the next list that succeeds is used
// again.
func TestAttackRefusedListOfProjects(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	refuse := &refusing{}
	e := g.Engine(g.Client(refuse.wrap))
	sync := func(text string) engine.Pass {
		return e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(text)})
	}
	managed := head + "{resource: {name: " + g.Stack + "}}"
	if pass := sync(managed); pass.Outcome() != plan.InSync {
		t.Fatalf("%s: %v", pass.Outcome(), pass.Failures)
	}
	refuse.on = true
	for _, text := range []string{managed, ""} {
		pass := sync(text)
		planned := fmt.Sprint(pass.Last.Unlisted, pass.Failures)
		for _, s := range pass.Last.Steps {
			planned += " " + string(s.Action) + " " + s.FullCause()
		}
		if pass.Outcome() == plan.InSync || len(pass.Results) > 0 || !strings.Contains(planned, "managementPolicy: unmanaged") {
			t.Errorf("%q: %s, %d steps: %s", text, pass.Outcome(), len(pass.Results), planned)
		}
	}
	refuse.on = false
	if pass := sync(managed); pass.Outcome() != plan.InSync || len(pass.Results) > 0 || pass.Last.Owned != 1 {
		t.Errorf("%s, %d steps, %d owned: %v", pass.Outcome(), len(pass.Results), pass.Last.Owned, pass.Failures)
	}
}

// An imported project is found among the user's own projects in every pass, even if the list
// of all projects is refused.
func TestImportsWhereListsAreRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	refuse := &refusing{on: true}
	c := g.Client(refuse.wrap)
	e := g.Engine(c)
	for range 2 {
		pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(head + "{managementPolicy: unmanaged, import: {id: " + c.ProjectID + "}}")})
		if pass.Outcome() != plan.InSync {
			t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
		}
	}
	if planned := e.Preview(t.Context(), "test", nil, nil); len(planned.Unlisted) > 0 || len(planned.Steps) > 0 {
		t.Errorf("nothing is asked for: %v, %d steps", planned.Unlisted, len(planned.Steps))
	}
}
