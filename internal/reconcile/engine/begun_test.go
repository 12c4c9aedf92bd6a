package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// hanging is a cloud that does not answer updates and deletions while hangs is true. It carries out each deletion after a delay (after).
type hanging struct {
	*thingtest.World
	hangs bool
	after time.Duration // time until it carries out a deletion; 0 for no delay.
}

// Update carries out only the first of two requests while hangs is true. The second request would write the mark.
func (h *hanging) Update(ctx context.Context, want typed.Want[thingtest.Spec], have typed.Live[thingtest.Thing], changes []kind.Change) error {
	if !h.hangs {
		return h.World.Update(ctx, want, have, changes)
	}
	h.Mu.Lock()
	h.Things[have.ID].Colour = want.Spec.Colour
	h.Mu.Unlock()
	<-ctx.Done()
	return ctx.Err()
}

func (h *hanging) Delete(ctx context.Context, have typed.Live[thingtest.Thing]) (bool, error) {
	if !h.hangs {
		return h.World.Delete(ctx, have)
	}
	time.AfterFunc(h.after, func() { _, _ = h.World.Delete(context.WithoutCancel(ctx), have) })
	<-ctx.Done()
	return false, ctx.Err()
}

func (h *hanging) engine(m *memory.Memory) *Engine {
	e := engineOf(h.World)
	e.Kinds, e.Memory = []*kind.Kind{thingtest.Of(h.Kind().Info, h)}, m
	e.Policies = []plan.Policy{guard.ReportDrift(true)} // drift is only reported
	return e
}

// An interrupted pass leaves changes half done. Then the branch may return to an earlier commit, and the thing still has the mark of that
// commit. The difference was caused by the stack itself, so it is not drift. That is also true if the cloud works on the thing until the
// next pass ends, or longer.
func TestWhatAnInterruptedPassHasBegunIsNoDrift(t *testing.T) {
	for name, tt := range map[string]struct {
		line, next string
		delay      int           // number of lists that deletions take.
		after      time.Duration // see hanging.
		answers    bool          // the cloud answers, and the pass ends immediately after the answer.
		anew       bool          // the agent logs in again.
	}{
		"half an update":                  {line: "a colour=red", next: "a colour=blue"},
		"half an update, and a new login": {line: "a colour=red", next: "a colour=blue", anew: true},
		"a deletion that takes a while":   {line: "a", delay: 5, answers: true},
		"a replacement of that sort":      {line: "a shape=round", next: "a shape=flat", delay: 5, answers: true},
		"a deletion that goes on":         {line: "a", after: 2 * time.Minute},
		"a replacement that goes on":      {line: "a shape=round", next: "a shape=flat", after: 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, m := &hanging{World: thingtest.New(), after: tt.after}, &memory.Memory{}
				e := h.engine(m)
				sync := func(ctx context.Context, lines ...string) Pass {
					want, err := h.Wanted(lines...)
					if err != nil {
						t.Fatal(err)
					}
					return e.Sync(ctx, Revision{Want: want})
				}
				sync(t.Context(), tt.line, "other")
				ctx, supersede := context.WithCancelCause(t.Context())
				h.hangs, h.Delay = !tt.answers, tt.delay
				time.AfterFunc(100*time.Millisecond, func() { supersede(Superseded("commit 1a2b3c4")) })
				lines := []string{"other", tt.next}
				if tt.next == "" {
					lines = lines[:1]
				}
				sync(ctx, lines...)
				h.hangs = false
				if tt.anew {
					e = h.engine(m)
				}
				for i := range 5 {
					pass := sync(t.Context(), tt.line, "other")
					if pass.Outcome() != plan.InSync || pass.Drifted() != 0 {
						t.Errorf("pass %d: %s, drifted: %d, late: %v: %s", i, pass.Outcome(), pass.First.Summary().Drifted, late(pass), failed(pass))
					}
					time.Sleep(time.Minute)
				}
				if begun := m.Past().Begun; len(begun) > 0 {
					t.Errorf("still begun: %v", begun)
				}
				for _, x := range h.Things {
					x.Colour = "green"
				}
				if pass := sync(t.Context(), tt.line, "other"); pass.Drifted() != 2 {
					t.Errorf("%d drifted once somebody changed them", pass.Drifted())
				}
			})
		})
	}
}

// An object that refers to a replaced thing has to be changed, too. That is no drift, even if drift is only reported, because nobody else
// has changed the object.
func TestWhatFollowsAReplacementIsNoDrift(t *testing.T) {
	for _, cut := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := &hanging{World: thingtest.New()}
			e := h.engine(nil)
			sync := func(ctx context.Context, lines ...string) Pass {
				want, err := h.Wanted(lines...)
				if err != nil {
					t.Fatal(err)
				}
				return e.Sync(ctx, Revision{Want: want})
			}
			sync(t.Context(), "a", "b near=a", "c near=a colour=red")
			ctx, supersede := context.WithCancelCause(t.Context())
			defer supersede(nil)
			if cut {
				h.OnCreate = func(string) (before, after error) { supersede(Superseded("commit 1a2b3c4")); return nil, nil }
			}
			for _, x := range h.Things {
				if x.Name == "c" { // this is real drift, so the step with this change is not carried out
					x.Colour = "blue"
				}
			}
			passes := []Pass{sync(ctx, "a shape=flat", "b near=a", "c near=a colour=red"), sync(t.Context(), "a shape=flat", "b near=a", "c near=a colour=red")}
			for i, pass := range passes {
				if got := fmt.Sprint(pass.First.Summary().Drifted, late(pass)); got != "1 []" {
					t.Errorf("cut %v, pass %d: %s drifted, want c: %s", cut, i, got, failed(pass))
				}
			}
			near := map[string]string{}
			for _, x := range h.Things {
				near[x.Name] = fmt.Sprint(x.Near) + x.Colour
			}
			if near["b"] == near["c"] || near["c"] != "[id-001]blue" {
				t.Errorf("cut %v: near: %v", cut, near)
			}
		})
	}
}

// A commit can make an import find another object. An object that refers to the import then differs because of the commit. That is true
// even for a process that has just started, and if drift is only reported.
func TestAnImportOfSomethingElseIsNoDrift(t *testing.T) {
	for _, anew := range []bool{false, true} {
		t.Run(fmt.Sprint(anew), func(t *testing.T) {
			w := thingtest.New()
			before, after := w.Put(thingtest.Thing{Name: "old"}).ID, w.Put(thingtest.Thing{Name: "new"}).ID
			e := engineOf(w)
			e.Policies = []plan.Policy{guard.ReportDrift(true)}
			users := []string{"a near=group", "b near=group", "c beside=group"}
			if pass, _ := syncPass(t, w, e, append(users, "group import=old")...); pass.Outcome() != plan.InSync {
				t.Fatal(failed(pass))
			}
			if anew {
				e = engineOf(w)
				e.Policies = []plan.Policy{guard.ReportDrift(true)}
			}
			pass, _ := syncPass(t, w, e, append(users, "group import=new")...)
			if pass.Drifted() != 0 || pass.Outcome() != plan.InSync {
				t.Errorf("%d drifted, %s: %s", pass.Drifted(), pass.Outcome(), failed(pass))
			}
			for _, x := range w.Things {
				if slices.Contains(slices.Concat(x.Near, x.Beside), before) || x.Mark != nil && !slices.Contains(slices.Concat(x.Near, x.Beside), after) {
					t.Errorf("%s is near %v, beside %v", x.Name, x.Near, x.Beside)
				}
			}
		})
	}
}

// If an object is changed in place, the objects that refer to it may see other values, and have to be changed, too. That is no drift.
func TestWhatFollowsAChangeInPlaceIsNoDrift(t *testing.T) {
	r := &run{engine: &Engine{}, drifted: map[string]bool{}}
	want, err := thingtest.New().Wanted("a", "b near=a", "c near=b", "d")
	if err != nil {
		t.Fatal(err)
	}
	r.rev.Want = want
	r.noteBegun(plan.Step{Key: thingtest.Key("a"), Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "spec.resource.colour"}}}})
	for name, begun := range map[string]bool{"a": true, "b": true, "c": true, "d": false} {
		if r.engine.past().Past().Begun[thingtest.Key(name)] != begun {
			t.Errorf("%s: %v", name, !begun)
		}
	}
}

// A process has just started, and drift is only reported. If an object is missing that the previous commit described in the same form, the
// process reports it and does not recreate it. Objects that a commit changes or adds are created. If the stack owns nothing, all its
// objects are created.
func TestWhatIsMissingAfterARestartIsReported(t *testing.T) {
	sums := func(want []kind.Desired) map[manifest.Key]checksum.Sum {
		sums := map[manifest.Key]checksum.Sum{}
		for _, d := range want {
			sums[d.Key] = d.Sum
		}
		return sums
	}
	for name, c := range map[string]struct{ there, want, made []string }{
		"one is missing":   {[]string{"a"}, []string{"a", "b"}, nil},
		"and was changed":  {[]string{"a"}, []string{"a", "b colour=red"}, []string{"b"}},
		"one is new":       {[]string{"a", "b"}, []string{"a", "b", "c"}, []string{"c"}},
		"nothing is there": {nil, []string{"a", "b"}, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			before, err := w.Wanted("a", "b")
			if err != nil {
				t.Fatal(err)
			}
			if c.there != nil {
				syncPass(t, w, engineOf(w), c.there...)
			}
			e := engineOf(w)
			e.Policies = []plan.Policy{guard.ReportDrift(true)}
			want, err := w.Wanted(c.want...)
			if err != nil {
				t.Fatal(err)
			}
			rev := Revision{Want: want, PreviousSums: sums(before)}
			var pass Pass
			synctest.Test(t, func(*testing.T) {
				pass = e.Sync(context.Background(), rev)
				e.Sync(context.Background(), rev)
			})
			var made []string
			for _, r := range pass.Results {
				made = append(made, r.Step.Key.Name)
			}
			if slices.Sort(made); !slices.Equal(made, c.made) || len(w.Things) != len(c.there)+len(c.made) {
				t.Errorf("made %v, want %v", made, c.made)
			}
		})
	}
}
