package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// door is the access to a world with one set of credentials. They belong to one project, or to an
// administrator, who sees the objects of all projects.
type door struct {
	*thingtest.World
	projects map[string]string // by ID, shared by the doors of a world.
	project  string
	admin    bool
	lists    int
	refusal  error // the error of lists.
	closed   error // the error of logins.
	readOnly bool  // deletions are refused.
	deleted  []string
}

func (d *door) List(ctx context.Context, asked kind.Listing) (out []typed.Live[thingtest.Thing], err error) {
	all, err := d.World.List(ctx, asked)
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if d.lists++; d.refusal != nil {
		return nil, d.refusal
	}
	for _, l := range all {
		if l.InOwnProject = d.projects[l.ID] == d.project; l.InOwnProject || d.admin {
			out = append(out, l)
		}
	}
	return out, err
}

func (d *door) Create(ctx context.Context, w typed.Want[thingtest.Spec]) (typed.Live[thingtest.Thing], error) {
	l, err := d.World.Create(ctx, w)
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.projects[l.ID] = d.project
	return l, err
}

func (d *door) Delete(ctx context.Context, have typed.Live[thingtest.Thing]) (bool, error) {
	d.Mu.Lock()
	d.deleted = append(d.deleted, have.Name)
	d.Mu.Unlock()
	if d.readOnly {
		return false, fmt.Errorf("%w: %w", kind.ErrRejected, kind.ErrForbidden)
	}
	return d.World.Delete(ctx, have)
}

func (d *door) kinds() []*kind.Kind {
	return []*kind.Kind{thingtest.Of(d.Kind().Info, d)}
}

// entry returns another door to the same world.
func (d *door) entry(project string, admin bool) *door {
	return &door{World: d.World, projects: d.projects, project: project, admin: admin}
}

// newDoors returns the main entry of a stack that may also use another entry.
func newDoors() (main, other *door) {
	w := thingtest.New()
	w.Entries = resolve.Entries{Main: "main", Further: []string{"other"}}
	main = &door{World: w, projects: map[string]string{}, project: "p1"}
	return main, main.entry("p2", false)
}

// put adds a thing to the world, in the project of the door.
func (d *door) put(x thingtest.Thing) { d.projects[d.Put(x).ID] = d.project }

// entered returns an engine that has just been started.
func entered(main, other *door) *Engine {
	e := engineOf(main.World)
	e.Kinds = main.kinds()
	e.Entries = []Entry{{Name: "other", Open: func(context.Context) (Access, error) {
		if other.closed != nil {
			return Access{}, other.closed
		}
		return Access{Kinds: other.kinds()}, nil
	}}}
	return e
}

func wanted(t *testing.T, d *door, lines ...string) []kind.Desired {
	t.Helper()
	want, err := d.Wanted(lines...)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// where returns the project and the name of every thing.
func (d *door) where() string {
	var out []string
	for id, x := range d.Things {
		out = append(out, d.projects[id]+"/"+x.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func through(t *testing.T, e *Engine, d *door, lines ...string) (pass Pass) {
	t.Helper()
	pass, _ = syncPass(t, d.World, e, lines...)
	return pass
}

func TestObjectsAreMadeThroughTheEntryTheyName(t *testing.T) {
	main, other := newDoors()
	e := entered(main, other)
	lines := []string{"a cloud=main", "b cloud=other near=a", "c"}
	if pass := through(t, e, main, lines...); pass.Outcome() != plan.InSync || main.where() != "p1/a p1/c p2/b" {
		t.Fatalf("%s, %s: %v", pass.Outcome(), main.where(), pass.Failures)
	}
	if pass := through(t, e, main, lines...); pass.Outcome() != plan.InSync || pass.Writes() != 0 || pass.Last.Owned != 3 {
		t.Errorf("the next pass: %s, %d writes, %d owned", pass.Outcome(), pass.Writes(), pass.Last.Owned)
	}
	if pass := through(t, entered(main, other), main, "b cloud=other", "c colour=red"); pass.Outcome() != plan.InSync || main.where() != "p1/c p2/b" {
		t.Errorf("%s, %s", pass.Outcome(), main.where())
	}
	// An agent that has just been started finds what an earlier one has created there.
	if pass := through(t, entered(main, other), main); pass.Outcome() != plan.InSync || main.where() != "" || !slices.Equal(other.deleted, []string{"b"}) {
		t.Errorf("%s, %s left, deleted %v", pass.Outcome(), main.where(), other.deleted)
	}
}

// An entry that nobody uses is listed once in the lifetime of an agent.
func TestEntriesThatNobodyUsesAreNotListed(t *testing.T) {
	main, other := newDoors()
	e := entered(main, other)
	for range 3 {
		through(t, e, main, "a")
	}
	if other.lists != 1 {
		t.Errorf("listed %d times through an entry that nobody uses", other.lists)
	}
	same := main.entry("p1", false) // an entry of the same project
	e = entered(main, same)
	for range 3 {
		through(t, e, main, "a")
	}
	if same.lists != 1 {
		t.Errorf("listed %d times what the main entry shows as well", same.lists)
	}
}

// A manifest names another entry of the same project. It still describes the same object, whose mark is written
// once.
func TestAManifestMovesToAnotherEntryOfItsProject(t *testing.T) {
	for name, lines := range map[string][2][]string{
		"to another one":    {{"a"}, {"a cloud=other"}},
		"back":              {{"a cloud=other"}, {"a"}},
		"one of two":        {{"a", "b"}, {"a cloud=other", "b"}},
		"with other fields": {{"a"}, {"a cloud=other colour=red"}},
		"and what it uses":  {{"a", "b near=a"}, {"a cloud=other", "b near=a cloud=other"}},
	} {
		for _, restarted := range []bool{false, true} {
			main, _ := newDoors()
			same := main.entry("p1", false)
			e := entered(main, same)
			through(t, e, main, lines[0]...)
			if restarted {
				e = entered(main, same)
			}
			pass := through(t, e, main, lines[1]...)
			moved := len(lines[1])
			if name == "one of two" {
				moved = 1
			}
			if pass.Outcome() != plan.InSync || pass.Writes() != moved || pass.Last.Owned != len(lines[1]) {
				t.Errorf("%s, restarted %t: %s, %d writes, %d owned: %v", name, restarted, pass.Outcome(), pass.Writes(), pass.Last.Owned, pass.Failures)
			}
			if pass = through(t, e, main, lines[1]...); pass.Outcome() != plan.InSync || pass.Writes() != 0 {
				t.Errorf("%s, the next pass: %s, %d writes", name, pass.Outcome(), pass.Writes())
			}
			if pass = through(t, e, main); pass.Outcome() != plan.InSync || main.where() != "" {
				t.Errorf("%s, removed: %s, %s left", name, pass.Outcome(), main.where())
			}
		}
	}
}

func TestAttackAnEntryThatIsNotAllowed(t *testing.T) {
	main, _ := newDoors()
	_, err := main.Wanted("a cloud=others")
	var problems manifest.Problems
	if !errors.As(err, &problems) || problems[0].Field != resolve.CloudField || !strings.Contains(problems[0].Fix, "main, other") {
		t.Errorf("got %v", err)
	}
	main.Entries = resolve.Entries{Main: "main"} // manifests for K-ORC may name an entry that the agent does not have
	if want, err := main.Wanted("a cloud=openstack"); err != nil || want[0].Entry != "" {
		t.Errorf("without further entries: %v, %v", want, err)
	}
}

// The objects of an entry that cannot log in are unknown. Everything else continues.
func TestAttackAnEntryThatCannotLogIn(t *testing.T) {
	main, other := newDoors()
	through(t, entered(main, other), main, "a", "b cloud=other", "gone cloud=other", "old")
	other.closed = fmt.Errorf("%w: wrong password", kind.ErrRejected)
	e := entered(main, other)
	pass := through(t, e, main, "a colour=red", "b cloud=other", "new")
	if got := main.where(); got != "p1/a p1/new p2/b p2/gone" || pass.Outcome() != plan.Broken {
		t.Errorf("%s, %s", got, pass.Outcome())
	}
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "entry other: ") || !strings.Contains(text, "wrong password") {
		t.Errorf("failures: %s", text)
	}
	// An object that existed before, and whose manifest may have named the other entry, is not created again.
	if pass := through(t, e, main, "a", "b cloud=other", "new"); pass.Writes() != 1 {
		t.Errorf("%d writes", pass.Writes())
	}
	other.closed = nil
	if pass := through(t, e, main, "a", "b cloud=other", "new"); main.where() != "p1/a p1/new p2/b" || pass.Outcome() != plan.InSync {
		t.Errorf("logged in again: %s, %s", main.where(), pass.Outcome())
	}
}

// An object that two entries show is one object.
func TestAttackTwoEntriesSeeOneObject(t *testing.T) {
	for name, project := range map[string]string{"an administrator": "p2", "the same project": "p1"} {
		t.Run(name, func(t *testing.T) {
			main, _ := newDoors()
			other := main.entry(project, true)
			e := entered(main, other)
			main.put(thingtest.Thing{Name: "free", Colour: "red"})
			pass := through(t, e, main, "a", "b cloud=other", "free seek=free")
			if pass.Outcome() != plan.InSync || pass.Last.Owned != 3 || len(main.Things) != 3 {
				t.Fatalf("%s, %d owned, %s: %v", pass.Outcome(), pass.Last.Owned, main.where(), pass.Failures)
			}
			// If a manifest names another entry that shows the object, the object stays.
			ids := fmt.Sprint(pass.Last.Steps[0].ID())
			if pass := through(t, e, main, "a cloud=other", "b cloud=other"); pass.Outcome() != plan.InSync || pass.Last.Steps[0].ID() != ids || pass.Drifted() != 0 {
				t.Errorf("moved: %s, %s: %v", pass.Outcome(), main.where(), pass.Failures)
			}
			if len(main.deleted) != 1 || len(other.deleted) != 0 {
				t.Errorf("deleted %v by the main entry, and %v by the other", main.deleted, other.deleted)
			}
			if through(t, entered(main, other), main); len(main.Things) != 0 {
				t.Errorf("%s left", main.where())
			}
		})
	}
}

// The main entry may see objects that it may not delete, such as objects that the whole cloud offers. After the
// manifest, which named another entry, is gone, the object is deleted through that entry. Each entry is tried
// once in a pass.
func TestWhatOneEntryMayNotDeleteAnotherOneDoes(t *testing.T) {
	main, _ := newDoors()
	main.readOnly = true
	other := main.entry("p1", true)
	through(t, entered(main, other), main, "a cloud=other", "b")
	other.readOnly = true
	if pass := through(t, entered(main, other), main, "b"); pass.Outcome() == plan.InSync || len(pass.Failures) != 1 || len(main.deleted) != 1 || len(other.deleted) != 1 {
		t.Fatalf("neither may: %s, %v; deleted %v and %v", pass.Outcome(), pass.Failures, main.deleted, other.deleted)
	}
	other.readOnly = false
	if pass := through(t, entered(main, other), main, "b"); pass.Outcome() != plan.InSync || main.where() != "p1/b" {
		t.Errorf("%s, %s: %v", pass.Outcome(), main.where(), pass.Failures)
	}
	if len(main.deleted) != 2 || len(other.deleted) != 2 {
		t.Errorf("deleted %v by the main entry, and %v by the other", main.deleted, other.deleted)
	}
	// An object that has a manifest is handled by its own entry only.
	if pass := through(t, entered(main, other), main, "b shape=round"); len(other.deleted) != 2 {
		t.Errorf("%s; deleted %v by the other", pass.Outcome(), other.deleted)
	}
}

// A mark on an object that only another entry shows counts like any other mark.
func TestAttackForgedMarkThroughTheSecondEntry(t *testing.T) {
	main, other := newDoors()
	want := wanted(t, main, "a")
	through(t, entered(main, other), main, "a")
	mark := want[0].PlainMark("s")
	other.put(thingtest.Thing{Name: "a", Mark: &mark})
	for _, lines := range [][]string{{"a colour=red"}, {"a cloud=other"}, {}} {
		pass := through(t, entered(main, other), main, lines...)
		if main.where() != "p1/a p2/a" || pass.Writes() != 0 || pass.Outcome() == plan.InSync {
			t.Errorf("%v: %s, %d writes, %s", lines, main.where(), pass.Writes(), pass.Outcome())
		}
	}
	// An object that belongs to neither entry's project belongs to no stack.
	main, _ = newDoors()
	admin := main.entry("p2", true)
	main.entry("p3", false).put(thingtest.Thing{Name: "a", Mark: &mark})
	if pass := through(t, entered(main, admin), main); len(main.Things) != 1 || pass.Last.Owned != 0 {
		t.Errorf("%d left, %d owned", len(main.Things), pass.Last.Owned)
	}
}

func TestAManifestMovesToAnotherEntry(t *testing.T) {
	main, other := newDoors()
	through(t, entered(main, other), main, "a", "b cloud=other")
	for _, e := range []*Engine{entered(main, other), entered(main, other)} {
		e.Replace = false
		if pass := through(t, e, main, "a cloud=other", "b cloud=other"); main.where() != "p1/a p2/b" || pass.Outcome() == plan.InSync || pass.Drifted() != 0 {
			t.Errorf("replaced without leave: %s, %s, %d drifted", main.where(), pass.Outcome(), pass.Drifted())
		}
	}
	if pass := through(t, entered(main, other), main, "a cloud=other", "b"); main.where() != "p1/b p2/a" || pass.Outcome() != plan.InSync {
		t.Errorf("%s, %s: %v", main.where(), pass.Outcome(), pass.Failures)
	}
}

// An entry that refuses lists may have an object whose manifest now names another entry. So the object is not
// created.
func TestAnEntryThatRefusesListsLeadsToNoDuplicate(t *testing.T) {
	for name, refusal := range map[string]error{
		"refused": fmt.Errorf("%w: %w: 403", kind.ErrRejected, kind.ErrForbidden), "failed": errors.New("503"),
	} {
		t.Run(name, func(t *testing.T) {
			main, other := newDoors()
			through(t, entered(main, other), main, "a cloud=other", "b")
			other.refusal = refusal
			e := entered(main, other)
			for range 2 { // the second pass does not list the refused collection
				pass := through(t, e, main, "a", "b colour=red")
				if main.where() != "p1/b p2/a" || pass.Outcome() != plan.Broken || !failedFor(pass, "a", cause.PerhapsThrough) {
					t.Errorf("%s, %s: %v", main.where(), pass.Outcome(), pass.Failures)
				}
			}
			if errors.Is(refusal, kind.ErrForbidden) {
				if pass := through(t, e, main, "b"); pass.Outcome() != plan.InSync || pass.Last.Owned != 1 {
					t.Errorf("a refusal that matters to nothing: %s, %v", pass.Outcome(), pass.Failures)
				}
			}
			other.refusal = nil
			if pass := through(t, entered(main, other), main, "a", "b"); main.where() != "p1/a p1/b" || pass.Outcome() != plan.InSync {
				t.Errorf("listed again: %s, %s", main.where(), pass.Outcome())
			}
		})
	}
}

// Objects of two clouds may have the same ID.
func TestEntriesOfTwoClouds(t *testing.T) {
	main, _ := newDoors()
	other := &door{World: thingtest.New(), projects: map[string]string{}, project: "p2"}
	e := entered(main, other)
	e.Realm = func(kind.Info) string { return "one" }
	e.Entries[0].Open = func(context.Context) (Access, error) {
		return Access{Kinds: other.kinds(), Realm: func(kind.Info) string { return "two" }}, nil
	}
	for range 2 {
		if pass := through(t, e, main, "a", "b cloud=other", "c"); pass.Outcome() != plan.InSync || main.where()+" "+other.where() != "p1/a p1/c p2/b" || pass.Last.Owned != 3 {
			t.Errorf("%s: %s and %s", pass.Outcome(), main.where(), other.where())
		}
	}
	if pass := through(t, e, main, "b cloud=other colour=red"); pass.Outcome() != plan.InSync || main.where()+other.where() != "p2/b" {
		t.Errorf("%s: %s and %s", pass.Outcome(), main.where(), other.where())
	}
}

func TestPlansOfTwoEntries(t *testing.T) {
	main, other := newDoors()
	through(t, entered(main, other), main, "a", "b cloud=other")
	planner := entered(main, other)
	p := planner.Preview(t.Context(), "test", wanted(t, main, "a colour=red", "c cloud=other"), nil)
	var got []string
	for _, s := range p.Steps {
		got = append(got, fmt.Sprintf("%s %s by %q", s.Action, s.Key.Name, s.Entry()))
	}
	if text := strings.Join(got, "; "); text != `update a by ""; create c by "other"; delete b by "other"` {
		t.Errorf("got %s", text)
	}
	moved := planner.Preview(t.Context(), "test", wanted(t, main, "a", "c"), nil)
	if moved.Hash() == p.Hash() || moved.Hash() == planner.Preview(t.Context(), "test", wanted(t, main, "a", "c cloud=other"), nil).Hash() {
		t.Error("a plan through another entry has the same hash")
	}
}
