package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

func late(p Pass) (names []string) {
	for _, s := range p.LateDrift {
		names = append(names, string(s.Action)+" "+s.Key.Name)
	}
	slices.Sort(names)
	return names
}

// A change that somebody makes while a pass runs is corrected by the pass and
// reported. A change by the pass itself is not reported.
func TestDriftThatALaterRoundFindsIsReported(t *testing.T) {
	w := thingtest.New()
	w.Delay = 3
	e := engineOf(w)
	if pass, _ := syncPass(t, w, e, "a colour=red", "b", "c", "d atop=c shape=flat"); pass.Outcome() != plan.InSync || pass.Drifted() != 0 {
		t.Fatalf("%d drifted: %s", pass.Drifted(), failed(pass))
	}
	w.OnCreate = func(name string) (before, after error) {
		if name == "new" {
			for id, x := range w.Things {
				switch x.Name {
				case "a":
					x.Colour = "blue"
				case "b":
					delete(w.Things, id)
				}
			}
		}
		return nil, nil
	}
	// c is recreated by the commit, and d with it.
	pass, _ := syncPass(t, w, e, "a colour=red", "b", "c shape=round", "d atop=c shape=flat", "new")
	if got, want := late(pass), []string{"create b", "update a"}; !slices.Equal(got, want) || pass.Outcome() != plan.InSync {
		t.Errorf("%s with late drift %v, want %v: %s", pass.Outcome(), got, want, failed(pass))
	}
	if pass.Drifted() != 2 {
		t.Errorf("%d drifted, want 2", pass.Drifted())
	}
	if pass, _ := syncPass(t, w, e, "a colour=red", "b", "c shape=round", "d atop=c shape=flat", "new"); pass.Drifted() != 0 || len(pass.Results) != 0 {
		t.Errorf("the next pass found %d drifted and did %d steps", pass.Drifted(), len(pass.Results))
	}
}

// An object that the cloud is still deleting counts as deleted by somebody else.
func TestAnObjectThatSomebodyDeletesIsDriftBeforeItIsGone(t *testing.T) {
	w := thingtest.New()
	if pass, _ := syncPass(t, w, engineOf(w), "a", "b"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	for _, x := range w.Things {
		if x.Name == "a" {
			x.Leaving = 4
		}
	}
	pass, _ := syncPass(t, w, engineOf(w), "a", "b") // a new process, which remembers nothing
	if pass.Outcome() != plan.InSync || pass.Drifted() != 1 || len(pass.LateDrift) != 0 {
		t.Errorf("%s, %d drifted, %d of them late; want 1 in the first plan", pass.Outcome(), pass.Drifted(), len(pass.LateDrift))
	}
}

// Somebody who deletes faster than the agent creates does not keep a pass running.
func TestAPassDoesNotRaceWithSomebodyWhoDeletes(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	if pass, _ := syncPass(t, w, e, "a", "b"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	made := 0
	w.Wrote = func() { made++ }
	e.Watcher = watcher{finished: func(r Result) {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		for id, x := range w.Things {
			if x.Name == "a" && r.Step.Key.Name == "a" {
				delete(w.Things, id)
			}
		}
	}}
	for id, x := range w.Things {
		if x.Name == "a" {
			delete(w.Things, id)
		}
	}
	pass, took := syncPass(t, w, e, "a", "b")
	if made != 1 || took > time.Minute || !strings.Contains(failed(pass), "a: ") {
		t.Errorf("made it %d times in %s: %s", made, took, failed(pass))
	}
	e.Watcher = nil
	if pass, _ := syncPass(t, w, e, "a", "b"); pass.Outcome() != plan.InSync || pass.Drifted() != 1 {
		t.Errorf("the next pass: %s, %d drifted, want 1", pass.Outcome(), pass.Drifted())
	}
}

// A pass that only waits ends immediately when there is a newer commit.
func TestANewerWordEndsAPassThatWaits(t *testing.T) {
	w := thingtest.New()
	w.Delay = 1 << 20
	want, err := w.Wanted("a", "b atop=a")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, supersede := context.WithCancelCause(context.Background())
		time.AfterFunc(3*time.Minute, func() { supersede(Superseded("commit 1a2b3c4")) })
		started := time.Now()
		pass := engineOf(w).Sync(ctx, Revision{Want: want})
		if took := time.Since(started); took != 3*time.Minute || pass.Superseded != "commit 1a2b3c4" || !pass.Interrupted {
			t.Errorf("after %s: superseded by %q, interrupted %v", took, pass.Superseded, pass.Interrupted)
		}
	})
}

// Somebody removes the mark of an object. An agent that has run since before that recognises the object, and reports the change. An agent
// that was started later refuses to create an object with that name.
func TestAMarkTakenOffIsPutBack(t *testing.T) {
	w := thingtest.New()
	running := engineOf(w)
	syncPass(t, w, running, "a colour=red")
	unmark := func() {
		for _, x := range w.Things {
			x.Mark, x.Colour = nil, "blue"
		}
	}
	unmark()
	pass, _ := syncPass(t, w, running, "a colour=red")
	if s := pass.First.Steps[0]; s.Action != plan.Update || !s.Drift || pass.Outcome() != plan.InSync {
		t.Errorf("%s %s, drift %v: %s", s.Action, s.FullCause(), s.Drift, pass.Outcome())
	}
	for _, x := range w.Things {
		if x.Mark == nil || x.Colour != "red" {
			t.Errorf("it is left as %+v", x)
		}
	}
	unmark()
	if pass, _ := syncPass(t, w, engineOf(w), "a colour=red"); pass.First.Steps[0].Action != plan.Refuse {
		t.Errorf("another agent: %s", pass.First.Steps[0].Action)
	}
	if pass, _ := syncPass(t, w, running); len(pass.First.Steps) != 0 || len(w.Things) != 1 {
		t.Errorf("what is not wanted any more belongs to no step: %v", pass.First.Steps)
	}
}

// An object that a manifest only imported, or would have adopted, belongs to no stack. If the manifest later describes a new object, the
// old one is not used for it.
func TestAttackAStrangerThatWasUsedIsNotOurs(t *testing.T) {
	for _, before := range []string{"x import=x", "x take=true suspend=true", "x seek=x suspend=true"} {
		w := thingtest.New()
		stranger := *w.Put(thingtest.Thing{Name: "x", Colour: "blue", Shape: "round", Mine: true})
		running := engineOf(w)
		syncPass(t, w, running, before)
		for _, after := range []string{"x colour=red shape=flat", "x colour=red"} {
			pass, _ := syncPass(t, w, running, after)
			if s := pass.First.Steps[0]; s.Action != plan.Refuse || s.Drift {
				t.Errorf("%s, then %s: %s %s, drift %v", before, after, s.Action, s.FullCause(), s.Drift)
			}
		}
		if x := w.Things[stranger.ID]; w.Writes != 0 || x == nil || x.Mark != nil || x.Colour != "blue" {
			t.Errorf("%s: %d writes, and it is left as %+v", before, w.Writes, x)
		}
		delete(w.Things, stranger.ID)
		pass, _ := syncPass(t, w, running, "x colour=red")
		if s := pass.First.Steps[0]; s.Action != plan.Create || s.Drift || s.Lost != "" {
			t.Errorf("%s, and it is gone: %s, drift %v, lost %q", before, s.Action, s.Drift, s.Lost)
		}
	}
}

// The stack stops managing an object that it made. If somebody then removes its mark, the agent does not restore the mark.
func TestWhatIsOnlyUsedIsForgotten(t *testing.T) {
	w := thingtest.New()
	running := engineOf(w)
	syncPass(t, w, running, "x colour=red")
	for _, x := range w.Things {
		x.Mark = nil
	}
	syncPass(t, w, running, "x import=x")
	if pass, _ := syncPass(t, w, running, "x colour=blue"); pass.First.Steps[0].Action != plan.Refuse || w.Writes != 1 {
		t.Errorf("%s, %d writes", pass.First.Steps[0].Action, w.Writes)
	}
}

// tardy is a cloud that deletes immediately and answers a minute later.
type tardy struct{ *thingtest.World }

func (c tardy) Delete(ctx context.Context, have typed.Live[thingtest.Thing]) (bool, error) {
	defer time.Sleep(time.Minute)
	return c.World.Delete(ctx, have)
}

// An object may be missing in a list before the answer to its deletion arrives. That does not mean that somebody else deleted it.
func TestADeletionThatAListShowsBeforeItsAnswerIsNoDrift(t *testing.T) {
	c := tardy{thingtest.New()}
	e := engineOf(c.World)
	e.Kinds = []*kind.Kind{thingtest.Of(c.Kind().Info, c)}
	if pass, _ := syncPass(t, c.World, e, "a", "b colour=red"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	pass, _ := syncPass(t, c.World, e, "a shape=round", "b colour=blue")
	if pass.Outcome() != plan.InSync || pass.Drifted() != 0 {
		t.Errorf("%s, drifted: %v: %s", pass.Outcome(), late(pass), failed(pass))
	}
}
