package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// syncPass runs one pass in a synctest bubble, where waiting takes no real time. took is the simulated duration of the
// pass.
func syncPass(t *testing.T, w *thingtest.World, e *Engine, lines ...string) (pass Pass, took time.Duration) {
	t.Helper()
	want, err := w.Wanted(lines...)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(*testing.T) {
		started := time.Now()
		pass = e.Sync(context.Background(), Revision{Want: want})
		took = time.Since(started)
	})
	return pass, took
}

func failed(p Pass) string {
	var out []string
	for _, f := range p.Failures {
		out = append(out, fmt.Sprintf("%s: %s %v", f.Key.Name, f.Reason(), f.Dependents))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// failedFor reports whether the pass has a failure of the object with that name, with a cause of that code.
func failedFor(p Pass, name string, code cause.Code) bool {
	return slices.ContainsFunc(p.Failures, func(f Failure) bool { return f.Key.Name == name && f.Causes.Has(code) })
}

// stepOf returns the step of the last plan for an object.
func stepOf(t *testing.T, p Pass, name string) plan.Step {
	t.Helper()
	i := slices.IndexFunc(p.Last.Steps, func(s plan.Step) bool { return s.Key.Name == name })
	if i < 0 {
		t.Fatalf("%s has no step", name)
	}
	return p.Last.Steps[i]
}

func TestAStuckObjectHoldsUpNobodyElse(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("stuck", "top atop=stuck", "other", "above atop=other")
	if err != nil {
		t.Fatal(err)
	}
	mark := want[0].PlainMark("s")
	w.Put(thingtest.Thing{Name: "stuck", Mark: &mark, Mine: true, Building: 1 << 30})
	var pass Pass
	var took time.Duration
	synctest.Test(t, func(*testing.T) {
		started := time.Now()
		pass = engineOf(w).Sync(context.Background(), Revision{Want: want})
		took = time.Since(started)
	})
	if got := failed(pass); !strings.Contains(got, "15m0s (BUILD)") || !strings.Contains(got, "[Thing/top]") {
		t.Errorf("failures:\n%s", got)
	}
	if !slices.Equal(w.Names(), []string{"above", "other", "stuck"}) {
		t.Errorf("made %v", w.Names())
	}
	if took > 16*time.Minute {
		t.Errorf("the pass took %s", took)
	}
}

// The brake checks only the first plan of a pass. If the cloud was still building an object when the pass started, the
// next pass replaces the object.
func TestWhatWasBeingBuiltIsReplacedByTheNextPass(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("disk shape=flat")
	if err != nil {
		t.Fatal(err)
	}
	thingtest.Fill(t, w, []string{"disk stale shape=round building=yes"}, want)
	synctest.Test(t, func(*testing.T) {
		for pass, left := range []bool{true, false} {
			got := engineOf(w).Sync(context.Background(), Revision{Want: want})
			if outcome := map[bool]plan.Outcome{true: plan.OutOfSync, false: plan.InSync}[left]; got.LeavesUnforeseen != left || got.Outcome() != outcome {
				t.Errorf("pass %d: %s, leaves something: %t", pass, got.Outcome(), got.LeavesUnforeseen)
			}
		}
	})
}

func TestTransientErrorsAreTriedAFewTimesWithPauses(t *testing.T) {
	w := thingtest.New()
	var at []time.Time
	w.OnCreate = func(string) (before, after error) {
		at = append(at, time.Now())
		return errors.New("500"), nil
	}
	pass, _ := syncPass(t, w, engineOf(w), "a", "b atop=a")
	if len(at) != 4 {
		t.Errorf("tried %d times, want 4", len(at))
	}
	for i := 1; i < len(at); i++ {
		if pause := at[i].Sub(at[i-1]); pause < time.Second<<(i-1) {
			t.Errorf("pause %d is %s, want at least %s", i, pause, time.Second<<(i-1))
		}
	}
	if got := failed(pass); got != "a: create: 500 [Thing/b]" {
		t.Errorf("failures: %s", got)
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	w := thingtest.New()
	var at []time.Time
	w.OnCreate = func(string) (before, after error) {
		if at = append(at, time.Now()); len(at) == 1 {
			return &kind.RetryAfterError{After: 20 * time.Second, Err: errors.New("503")}, nil
		}
		return nil, nil
	}
	pass, _ := syncPass(t, w, engineOf(w), "a")
	if pass.Outcome() != plan.InSync || len(at) != 2 || at[1].Sub(at[0]) < 20*time.Second {
		t.Errorf("%s after tries at %v", pass.Outcome(), at)
	}
}

// unlisted is a cloud whose lists fail.
type unlisted struct {
	*thingtest.World
	err error
	at  []time.Time // times of the lists
}

func (u *unlisted) List(ctx context.Context, asked kind.Listing) ([]typed.Live[thingtest.Thing], error) {
	if u.at = append(u.at, time.Now()); len(u.at) < 3 {
		return nil, u.err
	}
	return u.World.List(ctx, asked)
}

func TestRetryAfterIsHonouredByLists(t *testing.T) {
	for after, lists := range map[time.Duration]int{20 * time.Second: 4, 10 * time.Minute: 1} { // including the list after the creation
		w := &unlisted{World: thingtest.New(), err: &kind.RetryAfterError{After: after, Err: errors.New("503")}}
		e := engineOf(w.World)
		e.Kinds = []*kind.Kind{thingtest.Of(w.Kind().Info, w)}
		pass, took := syncPass(t, w.World, e, "a")
		if len(w.at) != lists || took > time.Minute {
			t.Errorf("after %s: %s in %s, lists at %v", after, pass.Outcome(), took, w.at)
		}
		for i := 1; i < min(3, len(w.at)); i++ {
			if pause := w.at[i].Sub(w.at[i-1]); pause < after {
				t.Errorf("asked again after %s, want %s", pause, after)
			}
		}
	}
}

func TestWhatTheCloudRejectsIsNotTriedAgain(t *testing.T) {
	w := thingtest.New()
	tries := 0
	w.OnCreate = func(name string) (before, after error) {
		if name != "a" {
			return nil, nil
		}
		tries++
		return fmt.Errorf("%w: quota exceeded", kind.ErrRejected), nil
	}
	pass, took := syncPass(t, w, engineOf(w), "a", "b")
	if tries != 1 || took > 10*time.Second {
		t.Errorf("tried %d times in %s, want once", tries, took)
	}
	if pass.Outcome() != plan.Broken || !slices.Equal(w.Names(), []string{"b"}) {
		t.Errorf("%s with %v", pass.Outcome(), w.Names())
	}
}

func TestWhatTheCloudRejectsIsTriedOnceMoreWhenSomethingWasDeleted(t *testing.T) {
	w := thingtest.New()
	w.Delay = 2
	if pass, _ := syncPass(t, w, engineOf(w), "old", "x"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	tries := 0
	w.OnCreate = func(string) (before, after error) {
		tries++
		for _, x := range w.Things {
			if x.Name == "old" {
				return fmt.Errorf("%w: overlaps with old", kind.ErrRejected), nil
			}
		}
		return nil, nil
	}
	pass, _ := syncPass(t, w, engineOf(w), "new", "x")
	if pass.Outcome() != plan.InSync || tries != 2 {
		t.Errorf("%s after %d tries: %s", pass.Outcome(), tries, failed(pass))
	}
}

func TestBusyIsWaitedOutWithinABound(t *testing.T) {
	for _, free := range []bool{true, false} {
		t.Run(fmt.Sprintf("freed %v", free), func(t *testing.T) {
			w := thingtest.New()
			started := time.Time{}
			w.OnCreate = func(string) (before, after error) {
				if started.IsZero() {
					started = time.Now()
				}
				if free && time.Since(started) > 30*time.Second {
					return nil, nil
				}
				return fmt.Errorf("%w: locked", kind.ErrBusy), nil
			}
			tries := 0
			answer := w.OnCreate
			w.OnCreate = func(name string) (before, after error) { tries++; return answer(name) }
			pass, took := syncPass(t, w, engineOf(w), "a")
			if tries > 15 {
				t.Errorf("asked %d times", tries)
			}
			if free != (pass.Outcome() == plan.InSync) {
				t.Errorf("outcome %s", pass.Outcome())
			}
			if took > 3*time.Minute {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestAChangeWithoutEffectIsGivenUp(t *testing.T) {
	w := thingtest.New()
	w.Stubborn = map[string]bool{"a": true}
	if pass, _ := syncPass(t, w, engineOf(w), "a colour=red"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	pass, took := syncPass(t, w, engineOf(w), "a colour=blue")
	if got := failed(pass); !strings.Contains(got, " 4 times ") || !strings.Contains(got, "(spec.resource.colour)") {
		t.Errorf("failures: %s", got)
	}
	if took > time.Minute {
		t.Errorf("took %s", took)
	}
}

// If an update is answered with 404, the missing object may be the updated one, or one that the update refers to.
func TestWhatAnUpdateCannotFindIsGivenUp(t *testing.T) {
	w := thingtest.New()
	w.Missing = map[string]bool{"a": true}
	if pass, _ := syncPass(t, w, engineOf(w), "a colour=red"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	before := w.Writes
	pass, took := syncPass(t, w, engineOf(w), "a colour=blue")
	if got := failed(pass); !strings.Contains(got, "no such colour") {
		t.Errorf("failures: %s", got)
	}
	if n := w.Writes - before; n < 2 || n > 5 || took > time.Minute {
		t.Errorf("asked %d times in %s; want a few", n, took)
	}
}

func TestAFailedObjectIsMadeAnewAFewTimes(t *testing.T) {
	w := thingtest.New()
	w.Delay = 1
	made := 0
	w.OnCreate = func(string) (before, after error) {
		made++
		soon(w, func(x *thingtest.Thing) { x.Failed = true })
		return nil, nil
	}
	pass, _ := syncPass(t, w, engineOf(w), "a")
	if made < 2 || made > maxRuns {
		t.Errorf("made %d times, want a few", made)
	}
	if len(w.Things) != 1 {
		t.Errorf("%d objects are left, want the last one, for people to look at", len(w.Things))
	}
	if got := failed(pass); !strings.Contains(got, "(failed: it broke)") {
		t.Errorf("failures: %s", got)
	}
}

// An object that failed before it was usable is recreated only by the process that created it. Any other process does
// not know whether somebody has used the object since.
func TestWhatWasUsableIsNotMadeAgainForBeingBroken(t *testing.T) {
	for name, tt := range map[string]struct {
		usable, restarted bool
		want              plan.Action
	}{
		"never usable":          {false, false, plan.Recreate},
		"usable for a while":    {true, false, plan.Refuse},
		"another process":       {false, true, plan.Refuse},
		"used, and a new start": {true, true, plan.Refuse},
	} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			w.Delay = 1
			e := engineOf(w)
			e.Replace = false
			w.OnCreate = func(string) (before, after error) {
				soon(w, func(x *thingtest.Thing) { x.Failed = !tt.usable })
				return nil, nil
			}
			syncPass(t, w, e, "a")
			for _, x := range w.Things {
				x.Failed = true
			}
			if tt.restarted {
				e = engineOf(w)
				e.Replace = false
			}
			want, err := w.Wanted("a")
			if err != nil {
				t.Fatal(err)
			}
			s := e.Preview(t.Context(), "c", want, nil).Steps[0]
			if s.Action != tt.want || s.Unused != (tt.want == plan.Recreate) {
				t.Errorf("%s: %s", s.Action, s.FullCause())
			}
		})
	}
}

// soon calls do for each thing of a world, after the present request and before the next list.
func soon(w *thingtest.World, do func(*thingtest.Thing)) {
	time.AfterFunc(time.Millisecond, func() {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		for _, x := range w.Things {
			do(x)
		}
	})
}

type watcher struct{ finished func(Result) }

func (watcher) Planned(plan.Plan, preflight.Findings) {}
func (watcher) Started(plan.Step)                     {}
func (w watcher) Finished(r Result)                   { w.finished(r) }
func (watcher) Progress(Progress)                     {}

func TestAStopFinishesWhatIsInFlight(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("a", "b atop=a")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		w.OnCreate = func(string) (before, after error) {
			stop()
			return nil, nil
		}
		pass := engineOf(w).Sync(ctx, Revision{Want: want})
		if !pass.Interrupted || pass.Outcome() != plan.Broken || !slices.Equal(w.Names(), []string{"a"}) {
			t.Errorf("interrupted %v, %s, made %v", pass.Interrupted, pass.Outcome(), w.Names())
		}
	})
}

func TestTheBrakeHoldsEverythingUntilItsHashIsApproved(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	e.Limits.All = share("30%")
	if pass, _ := syncPass(t, w, e, "a", "b", "c", "d"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	held, _ := syncPass(t, w, e, "a colour=red")
	if held.Outcome() != plan.OutOfSync || len(held.Results) > 0 || held.First.Held == nil {
		t.Fatalf("%s, %d steps carried out, held %q", held.Outcome(), len(held.Results), held.First.Held)
	}
	want, err := w.Wanted("a colour=red")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		wrong := e.Sync(context.Background(), Revision{Want: want, Approved: []plan.Approval{{Hash: "0123456789abcdef"}}})
		if wrong.First.Held == nil || !wrong.First.Held.Has(cause.WrongApproval) {
			t.Errorf("a wrong hash: held %q", wrong.First.Held)
		}
		pass := e.Sync(context.Background(), Revision{Want: want, Approved: []plan.Approval{{Hash: held.First.Hash()}}})
		if pass.Outcome() != plan.InSync || !slices.Equal(w.Names(), []string{"a"}) {
			t.Errorf("approved: %s with %v: %s", pass.Outcome(), w.Names(), failed(pass))
		}
	})
}

func TestOnlyWhatMovedIsListedAgain(t *testing.T) {
	w := thingtest.New()
	pass, _ := syncPass(t, w, engineOf(w), "a", "b")
	if pass.Rounds > 4 {
		t.Errorf("%d rounds for two objects that are ready at once", pass.Rounds)
	}
}

// A step may need an object that does not exist yet. It is tried again as long as the pass creates other things, and
// fails soon after the last of them is created.
func TestWhatIsMissingMayStillCome(t *testing.T) {
	for _, tt := range []struct {
		name, missing string
		failures      int
		least, most   time.Duration
	}{
		{"it comes", "top", 0, 30 * time.Second, 15 * time.Minute},
		{"it does not", "nothing", 1, 30 * time.Second, 15 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := thingtest.New()
			w.Delay = 20
			w.OnCreate = func(name string) (error, error) {
				if name == "eager" && !slices.Contains(w.Names(), tt.missing) {
					return fmt.Errorf("%w: %s", kind.ErrNotYet, tt.missing), nil
				}
				return nil, nil
			}
			pass, took := syncPass(t, w, engineOf(w), "eager", "base", "middle atop=base", "top atop=middle")
			if len(pass.Failures) != tt.failures || took < tt.least || took > tt.most {
				t.Errorf("%d failures after %s: %s", len(pass.Failures), took, failed(pass))
			}
		})
	}
	w := thingtest.New()
	w.OnCreate = func(string) (error, error) { return fmt.Errorf("%w: nothing", kind.ErrNotYet), nil }
	if pass, took := syncPass(t, w, engineOf(w), "eager"); len(pass.Failures) != 1 || took > 15*time.Second {
		t.Errorf("with nothing else to do it took %s: %s", took, failed(pass))
	}
}

// share parses a limit in the form that configurations use.
func share(text string) guard.Limit {
	l, err := guard.ParseLimit(text)
	if err != nil {
		panic(err)
	}
	return l
}

// engineOf returns an engine for a world. The engine may destroy all of it.
func engineOf(w *thingtest.World) *Engine {
	return &Engine{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Limits: guard.Limits{All: share("100%")}, Replace: true}
}
