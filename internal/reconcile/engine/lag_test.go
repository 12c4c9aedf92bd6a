package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// lagging is a cloud whose lists lack objects that are younger than a limit (by). It takes two seconds to create b.
type lagging struct {
	*thingtest.World
	by   time.Duration
	made map[string]time.Time // by ID
}

func (l *lagging) Create(ctx context.Context, want typed.Want[thingtest.Spec]) (typed.Live[thingtest.Thing], error) {
	if want.Key.Name == "b" {
		time.Sleep(2 * time.Second)
	}
	live, err := l.World.Create(ctx, want)
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.made[live.ID] = time.Now()
	return live, err
}

func (l *lagging) List(ctx context.Context, asked kind.Listing) ([]typed.Live[thingtest.Thing], error) {
	items, err := l.World.List(ctx, asked)
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return slices.DeleteFunc(items, func(x typed.Live[thingtest.Thing]) bool { return time.Since(l.made[x.ID]) < l.by }), err
}

// An object is created shortly before its collection is listed, and is missing in that list. It is not created again.
func TestAListThatLagsBehindMakesNothingTwice(t *testing.T) {
	for delay := range 4 { // lists until a new object is ready
		l := &lagging{thingtest.New(), 200 * time.Millisecond, map[string]time.Time{}}
		l.Delay = delay
		want, err := l.Wanted("a", "b")
		if err != nil {
			t.Fatal(err)
		}
		e := engineOf(l.World)
		e.Kinds = []*kind.Kind{thingtest.Of(l.Kind().Info, l)}
		synctest.Test(t, func(t *testing.T) {
			e.Sync(t.Context(), Revision{Want: want})
			time.Sleep(time.Second)
			if pass := e.Sync(t.Context(), Revision{Want: want}); pass.Outcome() != plan.InSync || !slices.Equal(l.Names(), []string{"a", "b"}) {
				t.Errorf("%d: %s with %v: %s", delay, pass.Outcome(), l.Names(), failed(pass))
			}
		})
	}
}

// replica is a cloud whose lists show the state of an earlier time (by), and are answered after a time (takes).
type replica struct {
	*thingtest.World
	by, takes time.Duration
	shown     []typed.Live[thingtest.Thing]
}

func (r *replica) List(ctx context.Context, asked kind.Listing) ([]typed.Live[thingtest.Thing], error) {
	r.Mu.Lock()
	shown := slices.Clone(r.shown)
	r.Mu.Unlock()
	time.Sleep(r.takes)
	return shown, nil
}

// follow makes lists show the present state after a delay (by).
func (r *replica) follow() {
	items, _ := r.World.List(context.Background(), kind.Listing{})
	time.AfterFunc(r.by, func() {
		r.Mu.Lock()
		defer r.Mu.Unlock()
		r.shown = items
	})
}

func (r *replica) Create(ctx context.Context, want typed.Want[thingtest.Spec]) (typed.Live[thingtest.Thing], error) {
	time.Sleep(time.Millisecond)
	defer r.follow()
	return r.World.Create(ctx, want)
}

func (r *replica) Delete(ctx context.Context, have typed.Live[thingtest.Thing]) (bool, error) {
	time.Sleep(time.Millisecond)
	defer r.follow()
	return r.World.Delete(ctx, have)
}

// Lists that lag behind still show a replaced object, and lack the new one. A slow list shows the state at its start. Neither this pass nor
// the next one creates the new object again, or reports it as deleted.
func TestAListThatLagsBehindAReplacementMakesNothingTwice(t *testing.T) {
	for name, tt := range map[string]struct {
		by, takes time.Duration
		cut       bool // the pass ends with the creation, and the next one follows
	}{
		"in a pass":                 {by: 300 * time.Millisecond},
		"in the next one":           {by: 300 * time.Millisecond, cut: true},
		"lists that take long":      {by: 300 * time.Millisecond, takes: 5 * time.Second},
		"and long in the next pass": {by: 300 * time.Millisecond, takes: 5 * time.Second, cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &replica{World: thingtest.New(), by: tt.by, takes: tt.takes}
			e := engineOf(r.World)
			e.Kinds = []*kind.Kind{thingtest.Of(r.Kind().Info, r)}
			synctest.Test(t, func(t *testing.T) {
				ctx, supersede := context.WithCancelCause(t.Context())
				for i, lines := range [][]string{{"a shape=round"}, {"a shape=flat", "b"}, {"a shape=flat", "b"}} {
					want, err := r.Wanted(lines...)
					if err != nil {
						t.Fatal(err)
					}
					if i == 1 && tt.cut {
						r.OnCreate = func(string) (before, after error) { supersede(Superseded("commit 1a2b3c4")); return nil, nil }
					}
					pass := e.Sync(ctx, Revision{Want: want})
					if pass.Drifted() != 0 || pass.Outcome() != plan.InSync && ctx.Err() == nil {
						t.Errorf("pass %d: %s, drifted: %d, late: %v: %s", i, pass.Outcome(), pass.Drifted(), late(pass), failed(pass))
					}
					if ctx = t.Context(); i == 0 {
						ctx, supersede = context.WithCancelCause(ctx)
						time.Sleep(time.Second)
					}
				}
				supersede(nil)
				if names := r.Names(); !slices.Equal(names, []string{"a", "b"}) {
					t.Errorf("there are %v", names)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}
