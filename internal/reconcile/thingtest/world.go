// Package thingtest contains a small world for the tests of the core. It has one kind, Thing. A Thing has a colour that can be changed and
// a shape that cannot, and Things depend on each other. The cloud of the world contains Things, takes time for changes, and refuses to
// delete a Thing in use.
package thingtest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// World is a cloud of Things. Its methods may be called concurrently.
type World struct {
	Mu      sync.Mutex
	Things  map[string]*Thing
	next    int
	Writes  int
	Delay   int   // number of lists that building and deleting take
	ListErr error // error that List returns
	// OnCreate, if set, is called before every creation. With before, the creation fails; with after, its answer gets lost.
	OnCreate func(name string) (before, after error)
	OnDelete func(name string) error                             // if set, called before every deletion.
	Stubborn map[string]bool                                     // names of Things whose colour never changes.
	Missing  map[string]bool                                     // names of Things whose updates refer to an object that does not exist.
	Judge    func(t *Thing) (unwell []string, lag time.Duration) // if set, returns the IDs of other Things that do not serve.
	Wrote    func()                                              // if set, called after every write.
	Entries  resolve.Entries                                     // the entries that manifests may name.
	Data     bool                                                // whether a Thing holds data.
	Absent   bool                                                // whether manifests may refer to objects without a manifest.
}

// write counts a write.
func (w *World) write() {
	w.Writes++
	if w.Wrote != nil {
		w.Wrote()
	}
}

// New returns an empty world.
func New() *World { return &World{Things: map[string]*Thing{}} }

// Put adds a Thing under a new ID.
func (w *World) Put(t Thing) *Thing {
	w.next++
	t.ID = fmt.Sprintf("id-%03d", w.next)
	w.Things[t.ID] = &t
	return &t
}

// Restart is the name of the way that heals a Thing that is down.
const Restart = "restart"

// Things is the name of the collection of a world's Things (see [kind.Info.Lists]).
const Things = "test/things"

// Kind returns the kind of the world's Things.
func (w *World) Kind() *kind.Kind {
	return Of(kind.Info{Group: "test", Version: "v1", Kind: "Thing", Lists: []string{Things}, Unmark: "thing unset <mark> <id>", ReportsHealth: true, HoldsData: w.Data}, w)
}

// Driver is implemented by World, or by its replacement in a test.
type Driver interface {
	List(ctx context.Context, asked kind.Listing) ([]typed.Live[Thing], error)
	Create(ctx context.Context, w typed.Want[Spec]) (typed.Live[Thing], error)
	Update(ctx context.Context, w typed.Want[Spec], have typed.Live[Thing], changes []kind.Change) error
	Delete(ctx context.Context, have typed.Live[Thing]) (gone bool, err error)
	Unmark(ctx context.Context, have typed.Live[Thing]) error
}

// Of returns a kind whose objects are Things.
func Of(info kind.Info, d Driver) *kind.Kind { return Typed(info, d).Resource() }

// Typed returns the same kind as Of, in a form that a test can change.
func Typed(info kind.Info, d Driver) typed.Kind[Spec, Filter, Thing] {
	r := Rules{}
	return typed.Kind[Spec, Filter, Thing]{Info: info, Cures: []kind.Way{{Name: Restart, Disruption: kind.Reboot}}, Validate: r.Validate, Name: r.Name, Diff: r.Diff, Match: r.Match, Status: r.Status,
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark}
}

func (w *World) live(t *Thing) typed.Live[Thing] {
	state := *t
	loose := slices.DeleteFunc(slices.Clone(t.Beside), func(id string) bool { return slices.Contains(t.On, id) || slices.Contains(t.Near, id) })
	l := typed.Live[Thing]{Live: kind.Live{ID: t.ID, Name: t.Name, Mark: t.Mark, Copied: t.Copied, InOwnProject: t.Mine, Project: t.Elsewhere, Guarded: t.Elsewhere != "", Phase: kind.Ready, Uses: slices.Concat(t.On, t.Near, t.Beside), AutoDetached: loose, InUse: t.Used, Created: t.Created, Updated: t.Updated, Since: t.Since, Facts: kind.Facts{Address: t.Name}}, State: &state}
	if w.Judge != nil {
		l.Unwell, l.Lag = w.Judge(t)
	}
	if len(t.Near) > 0 { // a Thing sends to the Things in its field near
		l.Drained = map[string]time.Time{}
	}
	switch {
	case t.Leaving > 0:
		l.Phase = kind.Deleting
	case t.Down != "":
		l.Phase, l.Down, l.Message = kind.Degraded, t.Down, "is down"
	case t.Failed:
		l.Phase, l.Message = kind.Failed, cmp.Or(t.Says, "it broke")
	case t.Building > 0:
		l.Phase, l.Message = kind.Pending, "BUILD"
	}
	return l
}

// List implements [Driver]. If the list has no other purpose than to notice that pending Things are ready, and they are not, it returns
// [kind.ErrStillPending].
func (w *World) List(_ context.Context, asked kind.Listing) ([]typed.Live[Thing], error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if w.ListErr != nil {
		return nil, w.ListErr
	}
	var out []typed.Live[Thing]
	for _, id := range slices.Sorted(maps.Keys(w.Things)) {
		t := w.Things[id]
		if t.Building > 0 {
			if t.Building--; t.Building == 0 {
				t.Since = time.Now()
			}
		}
		if t.Leaving == 1 {
			delete(w.Things, id)
			continue
		}
		if t.Leaving > 1 {
			t.Leaving--
		}
		out = append(out, w.live(t))
	}
	if asked.Waiting.Still(func(id string) (kind.Phase, bool) {
		at := slices.IndexFunc(out, func(l typed.Live[Thing]) bool { return l.Live.ID == id })
		if at < 0 {
			return "", false
		}
		return out[at].Live.Phase, true
	}) {
		return nil, kind.ErrStillPending
	}
	return out, nil
}

// Create implements [Driver].
func (w *World) Create(_ context.Context, want typed.Want[Spec]) (typed.Live[Thing], error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var lost error
	if w.OnCreate != nil {
		before, after := w.OnCreate(want.Key.Name)
		if before != nil {
			return typed.Live[Thing]{}, before
		}
		lost = after
	}
	on, _ := idsOf(want, want.Spec.On)
	near, _ := idsOf(want, want.Spec.Near)
	for _, id := range append(slices.Clone(on), near...) {
		if w.Things[id] == nil {
			return typed.Live[Thing]{}, fmt.Errorf("%w: no thing %s to depend on", kind.ErrRejected, id)
		}
	}
	w.write()
	mark := want.Mark
	t := w.Put(Thing{Name: want.Key.Name, Colour: want.Spec.Colour, Shape: want.Spec.Shape, Weight: want.Spec.Weight, On: on, Near: near, Mark: &mark, Mine: true, Building: w.Delay})
	beside, all := besides(want, t.ID)
	if t.Beside = beside; !all {
		mark.Applied = kind.Unfinished
	}
	if lost != nil {
		return typed.Live[Thing]{}, lost
	}
	return w.live(t), nil
}

// Update implements [Driver].
func (w *World) Update(_ context.Context, want typed.Want[Spec], have typed.Live[Thing], changes []kind.Change) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	t := w.Things[have.ID]
	if t == nil {
		return kind.ErrGone
	}
	w.write()
	if slices.ContainsFunc(changes, func(c kind.Change) bool { return c.Way == Restart }) {
		if t.Restarts++; !w.Stubborn[t.Name] {
			t.Down = ""
		}
		mark := want.Mark // like a way that rebuilds a machine
		t.Mark = &mark
		return nil
	}
	if w.Missing[t.Name] {
		return fmt.Errorf("%w: no such colour", kind.ErrGone)
	}
	if !w.Stubborn[t.Name] {
		t.Colour, t.Weight = want.Spec.Colour, want.Spec.Weight
	}
	t.Near, _ = nearby(want, t)
	t.Beside, _ = besides(want, t.ID)
	mark := want.Mark
	t.Mark, t.Copied = &mark, ""
	return nil
}

// Delete implements [Driver].
func (w *World) Delete(_ context.Context, have typed.Live[Thing]) (bool, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	t := w.Things[have.ID]
	if t == nil {
		return false, kind.ErrGone
	}
	if w.OnDelete != nil {
		if err := w.OnDelete(t.Name); err != nil {
			return false, err
		}
	}
	for _, other := range w.Things {
		if slices.Contains(other.On, t.ID) {
			return false, fmt.Errorf("%w: %s depends on it", kind.ErrBusy, other.Name)
		}
	}
	for _, other := range w.Things {
		other.Beside = slices.DeleteFunc(slices.Clone(other.Beside), func(id string) bool { return id == t.ID })
	}
	defer w.write()
	if w.Delay == 0 {
		delete(w.Things, t.ID)
		return true, nil
	}
	t.Leaving = w.Delay
	return false, nil
}

// Unmark implements [Driver].
func (w *World) Unmark(_ context.Context, have typed.Live[Thing]) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	t := w.Things[have.ID]
	if t == nil {
		return kind.ErrGone
	}
	w.write()
	t.Mark = nil
	return nil
}

// Names returns the names of all Things that are not being deleted.
func (w *World) Names() []string {
	var out []string
	for _, t := range w.Things {
		if t.Leaving == 0 {
			out = append(out, t.Name)
		}
	}
	slices.Sort(out)
	return out
}

// ErrLost is the error of a request whose answer was lost.
var ErrLost = fmt.Errorf("connection reset, %w", kind.ErrUnanswered)

// Snapshot returns the content of the world as an engine reads it.
func (w *World) Snapshot() kind.Snapshot {
	items, err := w.Kind().Driver.List(context.Background(), kind.Listing{})
	return kind.Snapshot{"Thing": {Items: items.Items(), Err: err}}
}
