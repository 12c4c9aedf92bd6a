package engine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// other is the kind of a second world. No manifest of these tests has it. Its objects use Things.
var other = kind.Info{Group: "test", Version: "v1", Kind: "Other", Unmark: "other unset <mark> <id>", Lists: []string{"others"}}

type twoKinds struct {
	things *thingtest.World
	others *guarded
	engine *Engine
}

func newTwoKinds() twoKinds {
	two := twoKinds{things: thingtest.New(), others: &guarded{World: thingtest.New()}}
	two.engine = two.agent()
	return two
}

// agent is a newly started agent.
func (two twoKinds) agent() *Engine {
	e := engineOf(two.things)
	e.Kinds = append(e.Kinds, thingtest.Of(other, two.others))
	return e
}

func (two twoKinds) sync(t *testing.T, text string, lists int) Pass {
	t.Helper()
	before := two.others.lists
	pass := two.engine.Sync(t.Context(), Revision{Want: wantedBy(t, two.things, text)})
	if got := two.others.lists - before; got != lists {
		t.Errorf("the other kind was listed %d times, want %d", got, lists)
	}
	return pass
}

func markOf(kindName string) *kind.Mark {
	return &kind.Mark{Owner: ownertext.Of("s", manifest.Key{Group: "test", Kind: kindName, Namespace: "default", Name: "stray"})}
}

func wantedBy(t *testing.T, w *thingtest.World, text string) []kind.Desired {
	t.Helper()
	if text == "" {
		return nil
	}
	want, err := w.Wanted(text)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// A kind without manifests and without objects of the stack is listed by the first pass, by passes that change something, and once
// an hour. An object with the stack's mark that appears in the meantime is found then, and by each new process.
func TestKindsThatAStackDoesNotUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		two := newTwoKinds()
		two.sync(t, "a", 1)
		two.sync(t, "a", 0)
		two.things.Things["id-001"].Colour = "changed by somebody"
		if two.sync(t, "a", 1); two.things.Things["id-001"].Colour == "changed by somebody" {
			t.Error("the drift stays")
		}
		two.sync(t, "a", 0)
		two.others.Put(thingtest.Thing{Name: "stray", Mine: true, Mark: markOf("Other")})
		if pass := two.sync(t, "a", 0); pass.Outcome() != plan.InSync {
			t.Errorf("%s", pass.Outcome())
		}
		time.Sleep(relistInterval)
		if pass := two.sync(t, "a", 2); len(two.others.Things) > 0 || len(pass.Results) != 1 {
			t.Errorf("%d are left after %v", len(two.others.Things), pass.Results)
		}
		two.sync(t, "a", 1) // the last list showed the object
		two.sync(t, "a", 0)
		two.others.Put(thingtest.Thing{Name: "stray", Mine: true, Mark: markOf("Other")})
		two.engine = two.agent()
		if two.sync(t, "a", 2); len(two.others.Things) > 0 {
			t.Errorf("a new process leaves %d", len(two.others.Things))
		}
	})
}

// A pass that deletes an object first lists all kinds whose objects may use it. While such a list fails, the object stays.
func TestUsersOfKindsThatAStackDoesNotUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		two := newTwoKinds()
		two.sync(t, "a", 1)
		two.sync(t, "a", 0)
		before := two.others.lists
		two.others.refusal = errors.New("503")
		if pass := two.engine.Sync(t.Context(), Revision{}); two.others.lists == before || len(two.things.Things) != 1 || pass.Outcome() == plan.InSync {
			t.Errorf("%s after %d lists, %d left", pass.Outcome(), two.others.lists-before, len(two.things.Things))
		}
		two.others.refusal = nil
		if pass := two.engine.Sync(t.Context(), Revision{}); len(two.things.Things) != 0 || pass.Outcome() != plan.InSync {
			t.Errorf("%s, %d left", pass.Outcome(), len(two.things.Things))
		}
	})
}

// While an object of a kind bears a mark of the stack for another kind, each pass lists the kind.
func TestMarksOfAnotherKind(t *testing.T) {
	two := newTwoKinds()
	two.others.Put(thingtest.Thing{Name: "copy", Mine: true, Mark: markOf("Thing")})
	first := two.sync(t, "a", 1)
	if again := two.sync(t, "a", 1); again.Outcome() != first.Outcome() || len(two.others.Things) != 1 {
		t.Errorf("%s, then %s", first.Outcome(), again.Outcome())
	}
}

// If a look finds an object with the stack's mark, the next pass lists its kind.
func TestLooksAtKindsThatAStackDoesNotUse(t *testing.T) {
	two := newTwoKinds()
	two.engine.Looks = true
	two.sync(t, "a", 1)
	two.sync(t, "a", 0)
	moved := Moved{Collections: []string{"others"}, Since: time.Now()}
	two.others.Put(thingtest.Thing{Name: "foreign", Mine: true})
	if got := two.engine.Look(t.Context(), moved); got != LookedSame {
		t.Errorf("a foreign object: %s", got)
	}
	two.sync(t, "a", 0)
	two.others.Put(thingtest.Thing{Name: "stray", Mine: true, Mark: markOf("Other")})
	if got := two.engine.Look(t.Context(), moved); got != LookedChanged {
		t.Errorf("a stray: %s", got)
	}
	if pass := two.sync(t, "a", 2); len(two.others.Things) != 1 || len(pass.Results) != 1 {
		t.Errorf("%d are left after %v", len(two.others.Things), pass.Results)
	}
}

// A new process does not list the kinds that the process before it has listed within the hour, if there is a file. Before a process creates the
// first object of a kind, the file says that the stack owns objects of that kind. So after a kill, the next process finds the object.
func TestKindsThatTheProcessBeforeDidNotUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	open := func() *memory.Memory {
		m, err := memory.Open(path, "s", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		m.Forget(memory.LoggedIn{Where: "one/p1", As: "ann"})
		return m
	}
	two := newTwoKinds()
	two.engine.Memory = open()
	two.sync(t, "", 1)
	two.things.OnCreate = func(string) (before, after error) {
		if found := open().AllFound(); len(found) != 2 || !found[memory.Place{Kind: "Thing"}].Owns || found[memory.Place{Kind: "Other"}].Owns {
			t.Errorf("before the creation, the file says %v", found)
		}
		return nil, nil
	}
	two.sync(t, "a", 1)
	two.engine = two.agent()
	two.engine.Memory = open()
	two.sync(t, "a", 0)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	two.engine = two.agent()
	two.engine.Memory = open()
	two.sync(t, "a", 1)
}

// If the list of a kind fails while a manifest has the kind, an earlier list does not count any more.
func TestKindsWhoseNewListFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &guarded{World: thingtest.New()}
		e := engineOf(g.World)
		e.Kinds = []*kind.Kind{thingtest.Of(g.Kind().Info, g)}
		e.Sync(t.Context(), Revision{})
		g.refusal = errors.New("503")
		e.Sync(t.Context(), Revision{Want: wantedBy(t, g.World, "a")})
		if f, _ := e.past().Found(memory.Place{Kind: "Thing"}); !f.At.IsZero() || f.Owns {
			t.Errorf("found %v", f)
		}
	})
}

// A creation without an answer may show its object late. Until then the kind is listed, even if its manifest is gone.
func TestKindsWithCreationsWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		two := newTwoKinds()
		two.sync(t, "a", 1)
		key := manifest.Key{Group: "test", Kind: "Other", Namespace: "default", Name: "stray"}
		two.engine.past().NoteBegun([]manifest.Key{key})
		two.engine.past().NoteFailure(&plan.Step{Key: key, Action: plan.Create, Object: plan.Object{Want: &kind.Desired{Key: key}}}, kind.ErrUnanswered, time.Now(), time.Minute)
		two.sync(t, "a", 1)
		time.Sleep(2 * time.Minute)
		two.others.Put(thingtest.Thing{Name: "stray", Mine: true, Mark: markOf("Other")})
		if two.sync(t, "a", 2); len(two.others.Things) > 0 {
			t.Errorf("%d are left", len(two.others.Things))
		}
	})
}

// An object in another project of the stack keeps its kind from being skipped, as long as the plan decides about it.
func TestKindsWithObjectsInOtherProjects(t *testing.T) {
	two := newTwoKinds()
	two.sync(t, "a", 1)
	two.others.Put(thingtest.Thing{Name: "stray", Elsewhere: "team", Mark: markOf("Other")})
	two.engine = two.agent()
	two.sync(t, "a", 1)
	two.sync(t, "a", 1)
}
