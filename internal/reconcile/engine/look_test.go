package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// TestLook: after a pass, a look at a collection reports whether a change in it concerns the stack. It lists once, and never writes.
func TestLook(t *testing.T) {
	things := Moved{Collections: []string{thingtest.Things}}
	for name, tt := range map[string]struct {
		change func(*thingtest.World)
		moved  Moved
		want   Looked
	}{
		"nothing":                   {func(*thingtest.World) {}, things, LookedSame},
		"a foreign object":          {func(w *thingtest.World) { named(w, "foreign").Colour = "green" }, things, LookedSame},
		"a new foreign object":      {func(w *thingtest.World) { w.Put(thingtest.Thing{Name: "new", Mine: true}) }, things, LookedSame},
		"an own object":             {func(w *thingtest.World) { named(w, "a").Colour = "green" }, things, LookedChanged},
		"an own object is gone":     {func(w *thingtest.World) { delete(w.Things, named(w, "a").ID) }, things, LookedChanged},
		"an own object is down":     {func(w *thingtest.World) { named(w, "a").Down = "stopped" }, things, LookedChanged},
		"a copy of a mark":          {func(w *thingtest.World) { w.Put(thingtest.Thing{Name: "copy", Mine: true, Mark: named(w, "a").Mark}) }, things, LookedChanged},
		"an imported object":        {func(w *thingtest.World) { named(w, "net").Colour = "green" }, things, LookedChanged},
		"it is renamed":             {func(w *thingtest.World) { named(w, "net").Name = "other" }, things, LookedChanged},
		"another one of that name":  {func(w *thingtest.World) { w.Put(thingtest.Thing{Name: "net", Mine: true}) }, things, LookedChanged},
		"a list that fails":         {func(w *thingtest.World) { w.ListErr = errors.New("down") }, things, LookedFailed},
		"a list that is refused":    {func(w *thingtest.World) { w.ListErr = kind.ErrForbidden }, things, LookedFailed},
		"a collection of no kind":   {func(*thingtest.World) {}, Moved{Collections: []string{thingtest.Things, "test/others"}}, LookedUnknown},
		"a change in no collection": {func(*thingtest.World) {}, Moved{}, LookedUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, e := lookedAt(t)
				writes := w.Writes
				tt.change(w)
				if got := e.Look(context.Background(), tt.moved); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				if w.Writes != writes {
					t.Error("the look has written")
				}
			})
		})
	}
}

// lookedAt returns a world in which a stack is in sync: it owns a and b, and imports net. An object is foreign.
func lookedAt(t *testing.T) (*thingtest.World, *Engine) {
	t.Helper()
	w := thingtest.New()
	w.Put(thingtest.Thing{Name: "net", Mine: true})
	w.Put(thingtest.Thing{Name: "foreign", Mine: true})
	want, err := w.Wanted("net import=net", "a near=net", "b")
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(w)
	e.Looks = true
	if pass := e.Sync(context.Background(), Revision{Want: want}); pass.Outcome() != 0 || pass.Writes() != 2 {
		t.Fatalf("the pass: %s, %d writes; %s", pass.Outcome(), pass.Writes(), failed(pass))
	}
	return w, e
}

func named(w *thingtest.World, name string) *thingtest.Thing {
	for _, t := range w.Things {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Nothing is known before the first pass, after a pass that has left work, while a pass runs, and after another login.
func TestLookWithoutAPass(t *testing.T) {
	things := Moved{Collections: []string{thingtest.Things}}
	synctest.Test(t, func(t *testing.T) {
		if got := engineOf(thingtest.New()).Look(context.Background(), things); got != LookedUnknown {
			t.Errorf("before the first pass: %s", got)
		}
		w, e := lookedAt(t)
		e.past().Forget(memory.PassBegins{At: time.Now()})
		if got := e.Look(context.Background(), things); got != LookedUnknown {
			t.Errorf("while a pass runs: %s", got)
		}
		want, err := w.Wanted("net import=net", "a near=net", "b")
		if err != nil {
			t.Fatal(err)
		}
		e.Sync(context.Background(), Revision{Want: want})
		if got := e.Look(context.Background(), things); got != LookedSame {
			t.Errorf("after the next pass: %s", got)
		}
		w.OnCreate = func(string) (before, after error) { return kind.ErrRejected, nil }
		delete(w.Things, named(w, "b").ID)
		e.Sync(context.Background(), Revision{Want: want})
		if got := e.Look(context.Background(), things); got != LookedUnknown {
			t.Errorf("after a pass that failed: %s", got)
		}
		w.OnCreate = nil
		e.Sync(context.Background(), Revision{Want: want})
		e.past().Forget(memory.LoggedIn{Where: "elsewhere"})
		if got := e.Look(context.Background(), things); got != LookedUnknown {
			t.Errorf("after another login: %s", got)
		}
	})
}

// Looks at several changes are one look at all of them, which is as late as the last one.
func TestMovedAnd(t *testing.T) {
	one, other := Moved{[]string{"b", "a"}, time.Unix(2, 0)}, Moved{[]string{"c", "a"}, time.Unix(1, 0)}
	if got := one.And(other); len(got.Collections) != 3 || got.Since != one.Since {
		t.Errorf("%v", got)
	}
	for _, got := range []*Moved{one.And(Moved{Since: time.Unix(3, 0)}), (&Moved{Since: time.Unix(3, 0)}).And(one)} {
		if got.Collections != nil || got.Since != time.Unix(3, 0) {
			t.Errorf("with any collection: %v", got)
		}
	}
}

// If an object with a mark of the stack appears in a collection that the last pass has not listed, the pass after the look lists that collection.
// Other objects there do not matter, and neither does a refusal of the list.
func TestLookAtAKindThatAStackDoesNotUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		two := newTwoKinds()
		two.engine.Looks, two.engine.Kinds[1].Info.Lists = true, []string{"test/others"}
		look := func(want Looked) {
			t.Helper()
			if got := two.engine.Look(t.Context(), Moved{Collections: []string{"test/others"}}); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		two.sync(t, "a", 1)
		two.sync(t, "a", 0)
		look(LookedSame)
		two.others.Put(thingtest.Thing{Name: "foreign", Mine: true})
		look(LookedSame)
		two.others.refusal = kind.ErrForbidden
		look(LookedSame)
		lists := two.others.lists
		for i := range two.engine.Kinds {
			two.engine.Kinds[i].Info.Joins = []string{"test/joined"}
		}
		joined := Moved{Collections: []string{"test/joined"}}
		if got := two.engine.Look(t.Context(), joined); got != LookedSame || two.others.lists != lists {
			t.Errorf("a collection that is joined: %s, %d lists of a kind of which the stack has nothing", got, two.others.lists-lists)
		}
		two.things.Things["id-001"].Weight = "7"
		if got := two.engine.Look(t.Context(), joined); got != LookedChanged {
			t.Errorf("a change that is joined: %s", got)
		}
		two.things.Things["id-001"].Weight = ""
		two.others.refusal = errors.New("503")
		look(LookedFailed)
		two.others.refusal = nil
		two.others.Put(thingtest.Thing{Name: "stray", Mine: true, Mark: markOf("Other")})
		look(LookedChanged)
		if pass := two.sync(t, "a", 2); len(two.others.Things) != 1 || len(pass.Results) != 1 {
			t.Errorf("%d are left after %v", len(two.others.Things), pass.Results)
		}
		look(LookedSame)
	})
}
