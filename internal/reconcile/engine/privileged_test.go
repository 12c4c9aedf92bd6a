package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// guarded is a world that counts its lists, and refuses them while refusal is set.
type guarded struct {
	*thingtest.World
	lists   int
	refusal error
	rare    bool // the kind is rare instead of privileged
}

func (g *guarded) List(ctx context.Context, asked kind.Listing) ([]typed.Live[thingtest.Thing], error) {
	if g.lists++; g.refusal != nil {
		return nil, g.refusal
	}
	return g.World.List(ctx, asked)
}

func privilegedEngine(t *testing.T, g *guarded) *Engine {
	t.Helper()
	e := engineOf(g.World)
	for i, k := range e.Kinds {
		if k.Info.Kind == "Thing" {
			info := k.Info
			if info.Rare = g.rare; !g.rare {
				info.Scope = kind.OfCloud
			}
			e.Kinds[i] = thingtest.Of(info, g)
		}
	}
	return e
}

// If no manifest has a privileged kind, an agent lists that kind once in its lifetime. After the
// last manifest of the kind is gone, the kind is listed until the stack has no such object.
func TestPrivilegedKindsAreListedUntilNothingIsOwned(t *testing.T) {
	g := &guarded{World: thingtest.New()}
	want, err := g.Wanted("a")
	if err != nil {
		t.Fatal(err)
	}
	e := privilegedEngine(t, g)
	for range 3 {
		e.Sync(t.Context(), Revision{})
	}
	if g.lists != 1 {
		t.Errorf("listed %d times though nobody asks for one, want once", g.lists)
	}
	e.Sync(t.Context(), Revision{Want: want})
	if pass := e.Sync(t.Context(), Revision{}); pass.Last.Owned != 0 || len(g.Things) != 0 {
		t.Errorf("the last one is not deleted: %d left", len(g.Things))
	}
	e.Sync(t.Context(), Revision{})
	before := g.lists
	e.Sync(t.Context(), Revision{})
	if g.lists != before {
		t.Errorf("listed %d more times though none is left", g.lists-before)
	}
}

// An agent that has just been started finds what an earlier agent has created,
// even if its manifest is gone.
func TestPrivilegedKindsOfAnEarlierAgent(t *testing.T) {
	g := &guarded{World: thingtest.New()}
	want, err := g.Wanted("a")
	if err != nil {
		t.Fatal(err)
	}
	privilegedEngine(t, g).Sync(t.Context(), Revision{Want: want})
	if planned := privilegedEngine(t, g).Preview(t.Context(), "test", nil, nil); len(planned.Steps) != 1 || planned.Steps[0].Action != plan.Delete {
		t.Errorf("%v, want one deletion", planned.Steps)
	}
}

// A refused list makes a pass fail only if a manifest has the kind. Any other failure always makes
// it fail, and the list is tried again.
func TestPrivilegedKindsThatAreRefused(t *testing.T) { refusedKinds(t, false) }

// The same is true of rare kinds: most users have no role in Barbican.
func TestRareKindsThatAreRefused(t *testing.T) { refusedKinds(t, true) }

func refusedKinds(t *testing.T, rare bool) {
	g := &guarded{rare: rare, World: thingtest.New(), refusal: fmt.Errorf("%w: %w: 403", kind.ErrRejected, kind.ErrForbidden)}
	want, err := g.Wanted("a")
	if err != nil {
		t.Fatal(err)
	}
	e := privilegedEngine(t, g)
	for range 2 {
		if pass := e.Sync(t.Context(), Revision{}); pass.Outcome() != plan.InSync || g.lists != 1 {
			t.Errorf("%s, listed %d times", pass.Outcome(), g.lists)
		}
	}
	if planned := e.Preview(t.Context(), "test", want, nil); planned.Outcome() != plan.Broken || planned.Steps[0].Action != plan.Wait {
		t.Errorf("asked for and refused: %s, %s", planned.Outcome(), planned.Steps[0].Action)
	}
	for _, refusal := range []error{errors.New("503"), fmt.Errorf("%w: 400", kind.ErrRejected)} {
		g.refusal = refusal
		for range 2 {
			if planned := privilegedEngine(t, g).Preview(t.Context(), "test", nil, nil); planned.Outcome() != plan.Broken {
				t.Errorf("not listed for another reason: %s", planned.Outcome())
			}
		}
	}
}

// If credentials lose their rights after objects were created, the refused list does not mean that
// the stack owns none.
func TestPrivilegedKindsThatAreRefusedOnceSomethingIsOwned(t *testing.T) {
	g := &guarded{World: thingtest.New()}
	want, err := g.Wanted("a")
	if err != nil {
		t.Fatal(err)
	}
	e := privilegedEngine(t, g)
	e.Sync(t.Context(), Revision{Want: want})
	e.Sync(t.Context(), Revision{Want: want})
	g.refusal = fmt.Errorf("%w: %w: 403", kind.ErrRejected, kind.ErrForbidden)
	for range 2 {
		if pass := e.Sync(t.Context(), Revision{}); pass.Outcome() != plan.Broken {
			t.Errorf("the last manifest is gone and the list is refused: %s", pass.Outcome())
		}
	}
	g.refusal = nil
	if e.Sync(t.Context(), Revision{}); len(g.Things) != 0 {
		t.Errorf("%d left once the list is allowed again", len(g.Things))
	}
}

// Plans and passes are made by different engines. A plan shows the objects that passes have created
// since.
func TestPlansListPrivilegedKindsEachTime(t *testing.T) {
	g := &guarded{World: thingtest.New()}
	want, err := g.Wanted("a")
	if err != nil {
		t.Fatal(err)
	}
	planner := privilegedEngine(t, g)
	planner.Preview(t.Context(), "test", nil, nil)
	privilegedEngine(t, g).Sync(t.Context(), Revision{Want: want})
	if planned := planner.Preview(t.Context(), "test", nil, nil); len(planned.Steps) != 1 || planned.Steps[0].Action != plan.Delete {
		t.Errorf("%v, want one deletion", planned.Steps)
	}
}
