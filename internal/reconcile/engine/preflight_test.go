package engine

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// costly returns a kind whose things count against a quota and are in a zone.
func costly(w *thingtest.World) *kind.Kind {
	k := thingtest.Typed(kind.Info{Group: "test", Version: "v1", Kind: "Thing", Service: "compute"}, w)
	k.QuotaNeeded = func(*thingtest.Spec, kind.FactsOf) kind.Amounts {
		return kind.Amounts{{Service: "compute", Name: "things"}: 1}
	}
	k.QuotaUsed = func(*thingtest.Thing, kind.FactsOf) kind.Amounts { return nil }
	k.Zone = func(*thingtest.Spec) string { return "here" }
	return k.Resource()
}

type reader struct{}

func (reader) Planned(plan.Plan, preflight.Findings) {}
func (reader) Started(plan.Step)                     {}
func (reader) Finished(Result)                       {}
func (reader) Progress(Progress)                     {}

// Quotas and zones are requested at the same time, and only once while the same plan is held.
// If nobody reads the plan before it is carried out, they are not requested.
func TestPreflightIsAskedTogetherAndOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := thingtest.New()
		want, err := w.Wanted("a")
		if err != nil {
			t.Fatal(err)
		}
		asked, together := 0, make(chan bool)
		e := engineOf(w)
		e.Kinds = []*kind.Kind{costly(w)}
		e.Watcher = reader{}
		var mu sync.Mutex
		meet := func(ctx context.Context, send bool) error {
			mu.Lock()
			asked++
			mu.Unlock()
			if send {
				select {
				case together <- true:
				case <-ctx.Done():
				}
				return ctx.Err()
			}
			select {
			case <-together:
			case <-ctx.Done():
			}
			return ctx.Err()
		}
		e.Quotas = func(ctx context.Context, _ string) (kind.Allowances, error) {
			return kind.Allowances{"things": {Limit: 5}}, meet(ctx, true)
		}
		e.Zones = func(ctx context.Context, _ string) ([]string, error) { return []string{"there"}, meet(ctx, false) }
		for range 3 {
			pass := e.Sync(t.Context(), Revision{Commit: "c", Want: want, Only: "another"})
			if f := pass.Preflight; len(f.Quotas) != 1 || len(f.Warnings) != 1 || len(f.Notes) > 0 || pass.First.Held == nil {
				t.Fatalf("%+v", f)
			}
		}
		if asked != 2 {
			t.Errorf("asked %d times for one plan that is held, want twice", asked)
		}
		e.Watcher = nil
		if pass := e.Sync(t.Context(), Revision{Commit: "c", Want: want}); pass.Outcome() != plan.InSync || asked != 2 {
			t.Errorf("%s, asked %d times", pass.Outcome(), asked)
		}
	})
}
