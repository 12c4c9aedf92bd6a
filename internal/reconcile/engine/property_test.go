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

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// anyRepo draws an acyclic repository, in which every object depends only on earlier objects.
func anyRepo(t *rapid.T, label string) []string {
	n := rapid.IntRange(0, 7).Draw(t, label)
	lines := make([]string, n)
	for i := range n {
		line := fmt.Sprintf("n%d colour=%s shape=%s", i, rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "colour"), rapid.SampledFrom([]string{"round", "flat"}).Draw(t, "shape"))
		for _, field := range []string{"atop", "near"} {
			if i > 0 && rapid.Bool().Draw(t, field) {
				line += fmt.Sprintf(" %s=n%d", field, rapid.IntRange(0, i-1).Draw(t, "target"))
			}
		}
		lines[i] = line
	}
	return lines
}

// anyCloud fills a world with things that belong to nobody, to another stack, or to this stack.
func anyCloud(t *rapid.T, w *thingtest.World) {
	for range rapid.IntRange(0, 6).Draw(t, "things") {
		x := thingtest.Thing{Name: fmt.Sprintf("n%d", rapid.IntRange(0, 9).Draw(t, "name")), Colour: "grey", Shape: "round", Mine: rapid.Bool().Draw(t, "mine")}
		switch rapid.SampledFrom([]string{"nobody", "other", "ours", "half-made"}).Draw(t, "owner") {
		case "other":
			x.Mark = &kind.Mark{Owner: ownertext.Of("other", thingtest.Key(x.Name)), Applied: "x"}
		case "ours":
			x.Mark, x.Mine = &kind.Mark{Owner: ownertext.Of("s", thingtest.Key(x.Name)), Applied: "x"}, true
		case "half-made":
			x.Mark, x.Mine = &kind.Mark{Owner: ownertext.Of("s", thingtest.Key(x.Name))}, true
		}
		w.Put(x)
	}
}

// strangers describes every thing that does not belong to this stack.
func strangers(w *thingtest.World) string {
	var out []string
	for id, t := range w.Things {
		if t.Mark == nil || !strings.HasPrefix(t.Mark.Owner, "stackreeve:s:") || !t.Mine {
			out = append(out, fmt.Sprintf("%s %s %s %s %d", id, t.Name, t.Colour, t.Shape, t.Leaving))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// For any cloud and any acyclic repository, a pass makes the cloud equal the repository, and does
// not change objects of others. A second pass writes nothing.
func TestAnyPassEndsInWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := thingtest.New()
		w.Delay = rapid.IntRange(0, 2).Draw(rt, "delay")
		anyCloud(rt, w)
		lines := anyRepo(rt, "objects")
		before := strangers(w)
		want, err := w.Wanted(lines...)
		if err != nil {
			rt.Fatal(err)
		}
		bubble(t, rt, func() error {
			return checkPass(w, engineOf(w).Sync(context.Background(), Revision{Want: want}), want, before)
		})
	})
}

// bubble runs f in a synctest bubble, where waiting takes no real time.
func bubble(t *testing.T, rt *rapid.T, f func() error) {
	var err error
	synctest.Test(t, func(*testing.T) { err = f() })
	if err != nil {
		rt.Fatal(err)
	}
}

func checkPass(w *thingtest.World, pass Pass, want []kind.Desired, before string) error {
	if after := strangers(w); after != before {
		return fmt.Errorf("strangers were touched:\n%s\nbefore:\n%s", after, before)
	}
	if pass.Outcome() == plan.Broken {
		for _, f := range pass.Failures {
			if !slices.ContainsFunc([]cause.Code{cause.NameTaken, cause.NameAdoptable, cause.ClaimTaken, cause.Several, cause.WaitsFor}, f.Causes.Has) {
				return fmt.Errorf("%s: %s", f.Key, f.Reason())
			}
		}
		return nil // an object of somebody else has the name of one of ours, which the pass reports
	}
	if pass.Outcome() != plan.InSync {
		return fmt.Errorf("outcome %s: %v", pass.Outcome(), pass.Last.Summary())
	}
	if pass.Last.Owned != len(want) {
		return fmt.Errorf("owns %d objects, want %d", pass.Last.Owned, len(want))
	}
	writes := w.Writes
	if again := engineOf(w).Sync(context.Background(), Revision{Want: want}); again.Outcome() != plan.InSync || w.Writes != writes {
		return fmt.Errorf("second pass: %s, %d writes", again.Outcome(), w.Writes-writes)
	}
	return nil
}

// No object is created twice, whichever answers are lost.
func TestLostAnswersDuplicateNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := thingtest.New()
		w.Delay = rapid.IntRange(0, 2).Draw(rt, "delay")
		fates := rapid.SliceOfN(rapid.IntRange(0, 3), 20, 20).Draw(rt, "fates")
		calls := 0
		w.OnCreate = func(name string) (before, after error) {
			fate := 0
			if calls < len(fates) {
				fate = fates[calls]
			}
			if calls++; fate == 3 { // the cloud continues the request
				time.AfterFunc(20*time.Second, func() {
					w.Mu.Lock()
					defer w.Mu.Unlock()
					w.Put(thingtest.Thing{Name: name, Mark: &kind.Mark{Owner: ownertext.Of("s", thingtest.Key(name)), Applied: kind.Unfinished}, Mine: true})
				})
			}
			return []error{nil, thingtest.ErrLost, nil, thingtest.ErrLost}[fate], []error{nil, nil, thingtest.ErrLost, nil}[fate]
		}
		lines := anyRepo(rt, "objects")
		want, err := w.Wanted(lines...)
		if err != nil {
			rt.Fatal(err)
		}
		bubble(t, rt, func() error {
			engineOf(w).Sync(context.Background(), Revision{Want: want})
			time.Sleep(time.Minute) // until all pending requests have ended
			w.Mu.Lock()
			defer w.Mu.Unlock()
			if names := w.Names(); len(slices.Compact(slices.Clone(names))) != len(names) {
				return fmt.Errorf("duplicates: %v", names)
			}
			return nil
		})
	})
}

// If a collection could not be listed, nothing is written.
func TestUnknownIsNotAbsent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := thingtest.New()
		anyCloud(rt, w)
		lines := anyRepo(rt, "objects")
		w.ListErr = errors.New("503")
		want, err := w.Wanted(lines...)
		if err != nil {
			rt.Fatal(err)
		}
		planned := engineOf(w).Preview(context.Background(), "c", want, nil)
		if n := planned.Summary().Writes(); n > 0 {
			rt.Fatalf("%d steps would write although nothing is known: %v", n, planned.Summary())
		}
		if planned.Outcome() != plan.Broken {
			rt.Fatalf("outcome %s, want failed", planned.Outcome())
		}
	})
}

// No policy makes a step write that did not write before.
func TestPoliciesOnlyWeaken(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := thingtest.New()
		anyCloud(rt, w)
		want, err := w.Wanted(anyRepo(rt, "objects")...)
		if err != nil {
			rt.Fatal(err)
		}
		e := engineOf(w)
		planned := decide.Compute(world.Input{Stack: "s", Kinds: e.Kinds, Want: want, Have: e.Observe(context.Background(), want), Rules: world.Rules{Replace: true}, Synced: rapid.Bool().Draw(rt, "synced")})
		for name, policy := range map[string]plan.Policy{
			"NoPrune": guard.NoPrune, "ReportDrift": guard.ReportDrift(true), "Brake": guard.Brake(guard.Limits{All: guard.Limit{Count: 1}}, nil),
			"Brake of a kind": guard.Brake(guard.Limits{All: guard.Limit{Count: 9}, Kinds: map[string]guard.Limit{"Thing": {Count: 1}}}, nil),
			"Judge": guard.Judge(func(string) bool { return true }, func(s guard.Subject) guard.Verdict {
				return guard.Verdict{Deny: []string{"", "is denied"}[len(s.Key.Name)%2], Warn: []string{"is warned of"}}
			}),
			"approved Brake": guard.Brake(nothing, []plan.Approval{{Hash: planned.Hash()}}),
		} {
			weak := policy(planned)
			if len(weak.Steps) != len(planned.Steps) {
				rt.Fatalf("%s: %d steps became %d", name, len(planned.Steps), len(weak.Steps))
			}
			for i, s := range weak.Steps {
				if s.Action.Writes() && s.Action != planned.Steps[i].Action {
					rt.Fatalf("%s: %s became %s", name, planned.Steps[i].Action, s.Action)
				}
			}
		}
	})
}
