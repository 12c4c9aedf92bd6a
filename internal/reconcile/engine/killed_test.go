package engine

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// The result of a killed process's request appears only after the next process has begun. The object is not created a
// second time.
func TestWhatAKilledProcessAskedForIsNotMadeAgain(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("a", "b", "c atop=a")
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(w)
	e.Timing.KilledWait = 2 * time.Second
	var first, second Pass
	synctest.Test(t, func(t *testing.T) {
		mark := kind.Mark{Owner: ownertext.Of("s", thingtest.Key("a")), Applied: kind.Unfinished}
		time.AfterFunc(1900*time.Millisecond, func() {
			w.Mu.Lock()
			defer w.Mu.Unlock()
			w.Put(thingtest.Thing{Name: "a", Mark: &mark, Mine: true})
		})
		first = e.Sync(t.Context(), Revision{Want: want})
		maps.DeleteFunc(w.Things, func(_ string, thing *thingtest.Thing) bool { return thing.Name == "b" })
		second = e.Sync(t.Context(), Revision{Want: want})
	})
	if !slices.Equal(w.Names(), []string{"a", "b", "c"}) || first.Outcome() != plan.InSync || second.Outcome() != plan.InSync {
		t.Errorf("%s: %s, %s: %s\nthere are %v", first.Outcome(), failed(first), second.Outcome(), failed(second), w.Names())
	}
	if first.Took < 2*time.Second || first.Took > 4*time.Second || second.Took > time.Second {
		t.Errorf("the passes took %s and %s", first.Took, second.Took)
	}
}

// A stack that waited for its turn while other stacks had theirs does not wait again for requests of a killed process.
func TestAKilledProcessIsWaitedForFromTheStartOfTheNext(t *testing.T) {
	for alone, most := range map[time.Duration]time.Duration{0: 4 * time.Second, time.Second: 3 * time.Second, 3 * time.Second: time.Second} {
		w := thingtest.New()
		want, err := w.Wanted("a")
		if err != nil {
			t.Fatal(err)
		}
		e := engineOf(w)
		e.Timing.KilledWait = 2 * time.Second
		synctest.Test(t, func(t *testing.T) {
			e.AloneSince = time.Now()
			time.Sleep(alone)
			pass := e.Sync(t.Context(), Revision{Want: want})
			if pass.Outcome() != plan.InSync || pass.Took >= most || alone+pass.Took < e.Timing.KilledWait {
				t.Errorf("%s after the start: %s, it took %s", alone, pass.Outcome(), pass.Took)
			}
		})
	}
}

// A cloud that lists slowly also creates slowly. So the agent waits longer for requests of a killed process, but not
// forever.
func TestASlowCloudIsGivenLonger(t *testing.T) {
	began := time.Unix(1000, 0)
	for listed, want := range map[time.Duration]time.Duration{
		50 * time.Millisecond: 2 * time.Second, 4 * time.Second: 40 * time.Second, time.Hour: time.Minute,
	} {
		e := &Engine{}
		for range 2 {
			e.estimateKilledWait(Timing{KilledWait: 2 * time.Second}, began, began.Add(listed))
		}
		if got := e.past().HiddenUntil("Thing/a", true).Sub(began); got != want {
			t.Errorf("lists take %s: %s, want %s", listed, got, want)
		}
	}
}
