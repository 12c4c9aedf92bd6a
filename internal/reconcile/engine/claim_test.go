package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// forgedCloud fills a world with objects whose marks somebody has forged, copied or written twice,
// or whose digest somebody has removed.
func forgedCloud(t *rapid.T, w *thingtest.World) {
	for range rapid.IntRange(1, 8).Draw(t, "things") {
		name := fmt.Sprintf("n%d", rapid.IntRange(0, 3).Draw(t, "name"))
		x := thingtest.Thing{Name: name, Mine: true, Colour: rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "colour"), Shape: "round",
			Failed: rapid.Bool().Draw(t, "failed"), Used: rapid.Bool().Draw(t, "used")}
		x.Mark = &kind.Mark{Owner: ownertext.Of("s", thingtest.Key(name)), Applied: rapid.SampledFrom([]string{"", "", kind.Unreadable, "older"}).Draw(t, "applied"),
			Keep: rapid.IntRange(0, 5).Draw(t, "keep") == 0}
		if day := rapid.IntRange(0, 4).Draw(t, "created"); day > 0 {
			x.Created = time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC)
		}
		switch rapid.IntRange(0, 8).Draw(t, "sort") {
		case 0:
			x.Mark.Rivals = ownertext.Of("bb", thingtest.Key(name))
		case 1:
			x.Copied = "was restored from backup b"
		case 2:
			x.Mark.Owner = ownertext.Of("bb", thingtest.Key(name))
		}
		w.Put(x)
	}
}

// doubted reports whether another object has the same mark as the object with that ID. A
// half-made copy does not count: it is unused, nothing was applied to it, and it is not much older.
func doubted(things map[string]thingtest.Thing, id string) bool {
	was := things[id]
	for other, t := range things {
		if other == id || t.Mark.Owner != was.Mark.Owner || t.Copied != "" {
			continue
		}
		if t.Mark.Rivals != "" || t.Mark.Applied != "" || t.Used || t.Created.IsZero() || was.Created.IsZero() || !t.Created.After(was.Created.Add(-bind.MaxLateness)) {
			return true
		}
	}
	return false
}

func snapshot(w *thingtest.World) map[string]thingtest.Thing {
	out := map[string]thingtest.Thing{}
	for id, t := range w.Things {
		out[id] = *t
	}
	return out
}

// Somebody forges, doubles or copies marks. No finished object is deleted or changed while another
// object has its mark, and no object without an owner is changed. If the limit is 0, only
// half-made copies are deleted.
func TestAttackForgedMarks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := thingtest.New()
		forgedCloud(rt, w)
		lines := anyRepo(rt, "objects")
		want, err := w.Wanted(lines...)
		if err != nil {
			rt.Fatal(err)
		}
		e := engineOf(w)
		braked := rapid.Bool().Draw(rt, "limit 0")
		if braked {
			e.Limits = guard.Limits{All: guard.Limit{Count: 0}}
		}
		before := snapshot(w)
		bubble(t, rt, func() error {
			e.Sync(context.Background(), Revision{Want: want})
			for _, id := range slices.Sorted(maps.Keys(before)) {
				was, now := before[id], w.Things[id]
				same := now != nil && now.Colour == was.Colour && *now.Mark == *was.Mark
				half := was.Mark.Applied == ""
				switch {
				case same:
				case was.Mark.Rivals != "" || was.Copied != "" || !strings.HasPrefix(was.Mark.Owner, "stackreeve:s:"):
					return fmt.Errorf("%s belongs to nobody or to others, and was touched: %v", id, was)
				case !half && doubted(before, id):
					return fmt.Errorf("%s was touched although another claims to be it: %v", id, was)
				case now == nil && half && was.Used && doubted(before, id):
					return fmt.Errorf("%s is half-made and in use, and was deleted: %v", id, was)
				case now == nil && braked && !half:
					return fmt.Errorf("%s was deleted past the limit: %v", id, was)
				}
			}
			return nil
		})
	})
}

// A plan has a step for every object that has a mark of the stack.
func TestAttackMarkedIsNeverOverlooked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := thingtest.New()
		forgedCloud(rt, w)
		want, err := w.Wanted(anyRepo(rt, "objects")...)
		if err != nil {
			rt.Fatal(err)
		}
		e := engineOf(w)
		planned := decide.Compute(world.Input{Stack: "s", Kinds: e.Kinds, Want: want, Have: e.Observe(context.Background(), want)})
		for id, t := range w.Things {
			if !slices.ContainsFunc(t.Mark.Owners(), func(o string) bool { return strings.HasPrefix(o, "stackreeve:s:") }) {
				continue
			}
			if !slices.ContainsFunc(planned.Steps, func(s plan.Step) bool {
				return s.ID() == id || strings.Contains(s.FullCause(), id) || s.Action == plan.Refuse && ownertext.Of("s", s.Key) == t.Mark.Owner
			}) {
				rt.Fatalf("%s is in no step: %v", id, t)
			}
		}
	})
}

// If a mark is removed while a deletion waits, the pass notices it before the
// next attempt.
func TestAttackMarkTakenOffMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := thingtest.New()
		a := w.Put(thingtest.Thing{Name: "a", Mine: true, Mark: &kind.Mark{Owner: ownertext.Of("s", thingtest.Key("a")), Applied: "older"}})
		w.OnDelete = func(string) error { return &kind.RetryAfterError{After: 10 * time.Minute, Err: thingtest.ErrLost} }
		go func() {
			time.Sleep(5 * time.Minute)
			w.Mu.Lock()
			defer w.Mu.Unlock()
			a.Mark, w.OnDelete = nil, nil
		}()
		engineOf(w).Sync(t.Context(), Revision{})
		if w.Things[a.ID] == nil {
			t.Error("it was deleted although it had no mark any more")
		}
	})
}
