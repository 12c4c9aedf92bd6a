package swiftcontainer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// The stack's container was deleted, and somebody has created another one with the same name. The new container belongs to
// them, even for an agent that knew the old one.
func TestAContainerThatAStrangerMadeAgain(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	c := g.Client(nil)
	name := unique("pictures")
	g.Only(object(name))
	e := g.Engine(c)
	rev := engine.Revision{Commit: "test", Want: g.Resolve(object(name))}
	if pass := e.Sync(t.Context(), rev); pass.Outcome() != plan.InSync {
		t.Fatal(pass.Failures)
	}
	for _, method := range []string{http.MethodDelete, http.MethodPut} {
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.ObjectStore, Method: method, Path: name}); err != nil {
			t.Fatal(err)
		}
	}
	pass := e.Sync(t.Context(), rev)
	if len(pass.Results) > 0 || len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "which stack") {
		t.Errorf("%d steps were carried out: %v", len(pass.Results), pass.Failures)
	}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.ObjectStore, Method: http.MethodDelete, Path: name}); err != nil {
		t.Error(err)
	}
}
