package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// lagging is a cloud whose lists lack what is younger than a while, and which takes two seconds to make b.
type lagging struct {
	*thingtest.World
	by   time.Duration
	made map[string]time.Time // by ID
}

func (l *lagging) Create(ctx context.Context, want kind.Want[*thingtest.Spec]) (kind.Live[*thingtest.Thing], error) {
	if want.Key.Name == "b" {
		time.Sleep(2 * time.Second)
	}
	live, err := l.World.Create(ctx, want)
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.made[live.ID] = time.Now()
	return live, err
}

func (l *lagging) List(ctx context.Context) ([]kind.Live[*thingtest.Thing], error) {
	items, err := l.World.List(ctx)
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return slices.DeleteFunc(items, func(x kind.Live[*thingtest.Thing]) bool { return time.Since(l.made[x.ID]) < l.by }), err
}

// What was made as its collection was to be listed anyhow, and is not in that list yet, is not made again.
func TestAListThatLagsBehindMakesNothingTwice(t *testing.T) {
	for delay := range 4 { // lists until what is made is ready
		l := &lagging{thingtest.New(), 200 * time.Millisecond, map[string]time.Time{}}
		l.Delay = delay
		want, err := l.Wanted("a", "b")
		if err != nil {
			t.Fatal(err)
		}
		e := engineOf(l.World)
		e.Kinds = []kind.Kind{kind.Define[thingtest.Spec, thingtest.Filter, thingtest.Thing](l.Kind().Info(), thingtest.Rules{}, l)}
		synctest.Test(t, func(t *testing.T) {
			e.Sync(t.Context(), Revision{Want: want})
			time.Sleep(time.Second)
			if pass := e.Sync(t.Context(), Revision{Want: want}); pass.Outcome() != plan.InSync || !slices.Equal(l.Names(), []string{"a", "b"}) {
				t.Errorf("%d: %s with %v: %s", delay, pass.Outcome(), l.Names(), failed(pass))
			}
		})
	}
}
