package engine

import (
	"context"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// needy returns a kind whose Things need upkeep at every moment.
func needy(w *thingtest.World) *kind.Kind {
	k := thingtest.Typed(kind.Info{Group: "test", Version: "v1", Kind: "Thing"}, w)
	k.Upkeep = func(_ typed.Want[thingtest.Spec], _ *thingtest.Thing, now time.Time) kind.Upkeep {
		return kind.Upkeep{Due: []kind.Change{{Field: "care", Want: now.String()}}, Next: now.Add(time.Minute)}
	}
	return k.Resource()
}

// Upkeep may be due again as soon as it is done, for example if it takes longer than its interval. Even then, a pass
// ends.
func TestWhatIsAlwaysDueEndsNoPassLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := thingtest.New()
		e := engineOf(w)
		e.Kinds = []*kind.Kind{needy(w)}
		want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(thingtest.Manifest("one") + "\n---\n" + thingtest.Manifest("two"))}}, e.Kinds)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			ctx, stop := context.WithTimeout(t.Context(), time.Hour)
			writes := w.Writes
			pass := e.Sync(ctx, Revision{Want: want})
			stop()
			if pass.Outcome() != plan.InSync || w.Writes-writes > 4 {
				t.Errorf("%s, %d writes: %s", pass.Outcome(), w.Writes-writes, failed(pass))
			}
		}
	})
}
