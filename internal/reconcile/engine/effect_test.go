package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// The duration of a step ends when the cloud shows its effect, and not when the requests are
// answered.
func TestAStepTakesUntilItsEffectIsSeen(t *testing.T) {
	w := thingtest.New()
	for _, tt := range []struct {
		name  string
		delay int
		lines []string
		took  map[plan.Action]bool // whether the action takes time
	}{
		{"created at once", 0, []string{"a"}, map[plan.Action]bool{plan.Create: false}},
		{"changed at once", 3, []string{"a colour=red"}, map[plan.Action]bool{plan.Update: false}},
		{"created over time", 3, []string{"a colour=red", "b"}, map[plan.Action]bool{plan.Create: true}},
		{"replaced over time", 3, []string{"a colour=red", "b shape=round"}, map[plan.Action]bool{plan.Recreate: true, plan.Create: true}},
		{"deleted over time", 3, []string{"b shape=round"}, map[plan.Action]bool{plan.Delete: true}},
		{"deleted at once", 0, nil, map[plan.Action]bool{plan.Delete: false}},
	} {
		w.Delay = tt.delay
		e, seen := engineOf(w), map[plan.Action]Result{}
		e.Watcher = watcher{finished: func(r Result) { seen[r.Step.Action] = r }}
		pass, _ := syncPass(t, w, e, tt.lines...)
		if pass.Outcome() != plan.InSync || len(pass.Results) != len(tt.took) || len(seen) != len(tt.took) {
			t.Fatalf("%s: %s, %d steps, %d seen: %s", tt.name, pass.Outcome(), len(pass.Results), len(seen), failed(pass))
		}
		for _, r := range pass.Results {
			if slow, known := tt.took[r.Step.Action]; !known || r.Unfinished || slow != (r.Took >= time.Second) || seen[r.Step.Action].Took != r.Took {
				t.Errorf("%s: to %s took %s, seen %s", tt.name, r.Step.Action, r.Took, seen[r.Step.Action].Took)
			}
		}
	}
}

// If the cloud works on an object after an update, the duration of the step ends when the object can
// be used again.
func TestAnUpdateTakesUntilTheObjectIsUsable(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	syncPass(t, w, e, "a")
	w.Wrote = func() {
		for _, x := range w.Things {
			x.Building = 4
		}
	}
	if pass, _ := syncPass(t, w, e, "a colour=red"); len(pass.Results) != 1 || pass.Results[0].Took < time.Second || pass.Results[0].Unfinished {
		t.Errorf("%s: %+v", pass.Outcome(), pass.Results)
	}
}

// A step is also reported if the pass does not see its end, but not as finished.
func TestAStepThatIsNotFinishedIsReported(t *testing.T) {
	for name, end := range map[string]func(w *thingtest.World, stop func()){
		"the pass gives way": func(_ *thingtest.World, stop func()) { stop() },
		"it fails": func(w *thingtest.World, _ func()) {
			for _, x := range w.Things {
				x.Failed = true
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			w.Delay = 1 << 20
			want, err := w.Wanted("a")
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(context.Background())
				defer stop()
				e := engineOf(w)
				e.Replace = false
				var seen []Result
				e.Watcher = watcher{finished: func(r Result) { seen = append(seen, r) }}
				time.AfterFunc(time.Minute, func() {
					w.Mu.Lock()
					defer w.Mu.Unlock()
					end(w, stop)
				})
				pass := e.Sync(ctx, Revision{Want: want})
				if len(seen) == 0 || len(seen) != len(pass.Results) || !seen[0].Unfinished || !pass.Results[0].Unfinished || seen[0].Took > time.Second {
					t.Errorf("seen %+v of %+v", seen, pass.Results)
				}
			})
		})
	}
}
