package engine

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A limited pass replaces an object together with its users, through all rounds, and touches nothing else.
func TestALimitedPass(t *testing.T) {
	w := thingtest.New()
	syncPass(t, w, engineOf(w), "a", "near near=a", "atop atop=a", "b", "gone")
	want, err := w.Wanted("a shape=flat", "near near=a", "atop atop=a", "b colour=blue", "new")
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(w)
	rev := Revision{Want: want, Targets: []plan.Target{{Kind: "Thing", Namespace: manifest.DefaultNamespace, Name: "a"}}}
	var pass Pass
	synctest.Test(t, func(*testing.T) { pass = e.Sync(context.Background(), rev) })
	wrote := map[string]bool{}
	for _, r := range pass.Results {
		wrote[r.Step.Key.Name] = true
	}
	if len(pass.Failures) > 0 || wrote["b"] || wrote["new"] || wrote["gone"] || !wrote["a"] || !wrote["near"] || !wrote["atop"] {
		t.Errorf("wrote %v; %s", wrote, failed(pass))
	}
	if pass.Outcome() != plan.OutOfSync || pass.Last.Summary().Left != 3 || pass.Last.Summary().Writes() != 0 {
		t.Errorf("%s, %+v\n%s", pass.Outcome(), pass.Last.Summary(), stepsOf(pass.Last))
	}
	rest := e.Preview(context.Background(), "c", want, nil)
	if n := rest.Summary().Writes(); n != 3 {
		t.Errorf("%d steps are left\n%s", n, stepsOf(rest))
	}
}
