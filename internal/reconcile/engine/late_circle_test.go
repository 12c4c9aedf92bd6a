package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// anyCircles draws a repository. Its things have late references (beside) to any other things, and
// other references only to earlier things.
func anyCircles(t *rapid.T) []string {
	n := rapid.IntRange(1, 6).Draw(t, "objects")
	lines := make([]string, n)
	for i := range n {
		lines[i] = fmt.Sprintf("n%d colour=red shape=%s", i, rapid.SampledFrom([]string{"round", "round", "flat"}).Draw(t, "shape"))
		var beside []string
		for _, j := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, n, rapid.ID[int]).Draw(t, "beside") {
			beside = append(beside, fmt.Sprintf("n%d", j))
		}
		if len(beside) > 0 {
			lines[i] += " beside=" + strings.Join(beside, ",")
		}
		if i > 0 && rapid.IntRange(0, 3).Draw(t, "leans") == 0 {
			lines[i] += fmt.Sprintf(" atop=n%d", rapid.IntRange(0, i-1).Draw(t, "atop"))
		}
	}
	return lines
}

// For any circles, and at whichever step a pass is killed, the next pass makes the cloud equal the
// repository, and then the plan is empty. It reports no drift unless a thing was being replaced.
// This is also true if the repository changes to another one, or to an empty one.
func TestAnyCircleOfLateReferencesConverges(t *testing.T) {
	testcost.Long(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := thingtest.New()
		w.Delay = rapid.IntRange(0, 1).Draw(rt, "delay")
		for _, lines := range [][]string{anyCircles(rt), anyCircles(rt), nil} {
			want, err := w.Wanted(lines...)
			if err != nil {
				rt.Fatal(err)
			}
			killAfter := rapid.IntRange(0, 12).Draw(rt, "killed after")
			bubble(t, rt, func() error { return convergeThrough(w, killAfter, want) })
		}
	})
}

func convergeThrough(w *thingtest.World, kill int, want []kind.Desired) error {
	ctx, die := context.WithCancel(context.Background())
	defer die()
	left := kill
	w.Wrote = func() {
		if left--; left == 0 {
			die()
		}
	}
	killed := engineOf(w).Sync(ctx, Revision{Want: want})
	w.Wrote = nil
	replaced := slices.ContainsFunc(killed.First.Steps, func(s plan.Step) bool { return s.Action == plan.Recreate })
	pass := engineOf(w).Sync(context.Background(), Revision{Want: want})
	if pass.Outcome() != plan.InSync || len(w.Names()) != len(want) {
		return fmt.Errorf("%s: %v; %d things, want %d", pass.Outcome(), pass.Failures, len(w.Names()), len(want))
	}
	for _, s := range slices.Concat(pass.First.Steps, pass.LateDrift) {
		if s.Drift && !replaced {
			return fmt.Errorf("%s %s counts as somebody's change: %v", s.Action, s.Key, s.Changes)
		}
	}
	writes := w.Writes
	if again := engineOf(w).Sync(context.Background(), Revision{Want: want}); again.Outcome() != plan.InSync || w.Writes != writes || !again.First.InSync() {
		return fmt.Errorf("second pass: %s, %d writes", again.Outcome(), w.Writes-writes)
	}
	return nil
}

// Two things with late references to each other are created, and then one of them is updated. They
// are deleted in one step each.
func TestCircleTakesNoMoreThanTwoSteps(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("a beside=b", "b beside=a", "c beside=a")
	if err != nil {
		t.Fatal(err)
	}
	pass := engineOf(w).Sync(t.Context(), Revision{Want: want})
	if pass.Outcome() != plan.InSync || w.Writes > 5 {
		t.Errorf("%s, %d writes; want 3 creations and at most 2 changes", pass.Outcome(), w.Writes)
	}
	w.Writes = 0
	if pass := engineOf(w).Sync(t.Context(), Revision{}); pass.Outcome() != plan.InSync || w.Writes != 3 {
		t.Errorf("%s, %d writes; want 3 deletions", pass.Outcome(), w.Writes)
	}
}

// An object waits for the target of a late reference that is in no circle, so that one request is
// enough.
func TestLateReferenceIsWaitedForOutsideCircles(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("a beside=b", "b")
	if err != nil {
		t.Fatal(err)
	}
	if pass := engineOf(w).Sync(t.Context(), Revision{Want: want}); pass.Outcome() != plan.InSync || w.Writes != 2 {
		t.Errorf("%s, %d writes, want 2", pass.Outcome(), w.Writes)
	}
}
