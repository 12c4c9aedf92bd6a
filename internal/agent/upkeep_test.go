package agent

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

type clock struct{}

// clocks returns a kind whose objects need upkeep every three hours, counted from first.
func clocks(first time.Time) *kind.Kind {
	return typed.Kind[clock, struct{}, clock]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: "Clock"},
		Upkeep: func(_ typed.Want[clock], _ *clock, now time.Time) kind.Upkeep {
			const every = 3 * time.Hour
			return kind.Upkeep{Next: first.Add((now.Sub(first)/every + 1) * every)}
		},
	}.Flat()
}

// The cloud is checked when upkeep is due, regardless of the schedule of checks. It is not checked while the stack rests after failures.
func TestAPassComesWhenSomethingIsDue(t *testing.T) {
	o := &outside{commit: "one"}
	serve(t, o, "@every 1m", "@every 240h", func(*Loop) {
		k := clocks(time.Now())
		want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte("apiVersion: test/v1\nkind: Clock\nmetadata: {name: a}\nspec: {}\n")}}, []*kind.Kind{k})
		if err != nil {
			t.Fatal(err)
		}
		m := want[0].PlainMark("s")
		have := kind.Snapshot{"Clock": {Items: []*kind.Live{{ID: "a", Mark: &m, InOwnProject: true, Phase: kind.Ready, State: new(clock)}}}}
		o.pass = func(context.Context, int) engine.Pass {
			return engine.Pass{Last: decide.Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{k}, Want: want, Have: have, Now: time.Now()})}
		}
		o.commit = "two"
		o.pause(2 * time.Minute)
		before := len(o.passes)
		o.pause(9*time.Hour - 3*time.Minute)
		if n := len(o.passes) - before; n != 2 {
			t.Errorf("%d passes within nine hours, want one each three hours", n)
		}
		o.pause(4 * time.Minute)
		if n := len(o.passes) - before; n != 3 {
			t.Errorf("%d passes after nine hours, want 3", n)
		}
	})
}
