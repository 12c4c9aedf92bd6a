package all_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// creations has the objects that drivers created, and the lookups that answered the drivers. The lookups of a real plan refer to the whole plan.
type creations struct {
	mu      sync.Mutex
	live    []kind.Live
	lookups []weak.Pointer[kind.PlanLookups]
}

// through makes a driver create objects with lookups of their own.
func (c *creations) through(k *kind.Kind, shared kind.PlanLookups) {
	create := k.Driver.Create
	k.Driver.Create = func(ctx context.Context, w kind.Want) (kind.Live, error) {
		lookups := shared
		lookups.Lookup = func(key manifest.Key) kind.Ref { return w.Ref(key.Kind, key.Name) }
		live, err := create(ctx, kind.NewWant(&kind.Desired{Key: w.Key}, w.Spec, w.Mark, kind.Lookups{PlanLookups: &lookups}))
		c.mu.Lock()
		defer c.mu.Unlock()
		c.live, c.lookups = append(c.live, live), append(c.lookups, weak.Make(&lookups))
		return live, err
	}
}

// TestCreatedObjectsDoNotKeepThePlan checks that the objects that drivers return need none of the values that the drivers got. A pass keeps these
// objects until the next list, and without this rule the plans of several rounds would stay in memory with them.
func TestCreatedObjectsDoNotKeepThePlan(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("a real cloud shows nothing else")
	}
	printer, err := fingerprint.New(g.Stack)
	if err != nil {
		t.Fatal(err)
	}
	e, made := g.Engine(g.Client(nil)), &creations{}
	for _, k := range e.Kinds {
		if k.Driver != nil {
			made.through(k, kind.PlanLookups{Groups: kind.GroupsOf(e.Kinds), Printer: printer})
		}
	}
	pass := e.Sync(t.Context(), engine.Revision{Want: g.Resolve(common)})
	if pass.Outcome() != plan.InSync {
		t.Fatal(pass.Failures)
	}
	e, pass = nil, engine.Pass{}
	runtime.GC()
	for i, lookups := range made.lookups {
		if lookups.Value() != nil {
			t.Errorf("%s %s keeps the plan in memory", made.live[i].ID, made.live[i].Name)
		}
	}
	if len(made.live) < 13 {
		t.Errorf("only %d objects were created", len(made.live))
	}
	runtime.KeepAlive(made)
}
