// Package thingtest is a small world for the tests of the core: one kind, Thing, whose
// objects have a colour that can be changed, a shape that cannot, and depend on each
// other; and a cloud that holds Things, takes its time over them and refuses to delete
// what is in use.
package thingtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Spec is what a manifest says of a Thing.
type Spec struct {
	Colour string   `json:"colour,omitempty"`
	Shape  string   `json:"shape,omitempty" rule:"immutable"`
	On     []string `json:"atop,omitempty" rule:"immutable" ref:"Thing"`
	Near   []string `json:"near,omitempty" ref:"Thing"`
	Beside []string `json:"beside,omitempty" ref:"Thing,late"`
}

type Filter struct {
	Name   string `json:"name,omitempty"`
	Colour string `json:"colour,omitempty"`
}

func (f *Filter) FilterName() string { return f.Name }

type Thing struct {
	ID, Name, Colour, Shape string
	On, Near, Beside        []string // IDs
	Mark                    *kind.Mark
	Mine                    bool
	Building                int // lists until it is ready
	Leaving                 int // lists until it is gone; 0 = stays
	Failed, Used            bool
	Created                 time.Time
	Copied                  string
	Down                    string // why it serves nobody
	Says                    string // what the cloud says of a failed one
}

type Rules struct{}

func (Rules) Name(w kind.Want[Spec]) string { return w.Key.Name }
func (Rules) Validate(s *Spec, r *kind.Report) {
	if s.Shape == "spiky" {
		r.Problem("spec.resource.shape", "is spiky", "file it down")
	}
}
func (Rules) Match(w kind.Want[Filter], t *Thing) bool {
	return (w.Spec.Name == "" || w.Spec.Name == t.Name) && (w.Spec.Colour == "" || w.Spec.Colour == t.Colour)
}
func (Rules) Status(t *Thing) any { return map[string]string{"colour": t.Colour} }

func (Rules) Diff(w kind.Want[Spec], t *Thing, c *kind.Changes) {
	kind.Field(c, "spec.resource.colour", t.Colour, w.Spec.Colour)
	kind.Fixed(c, "spec.resource.shape", t.Shape, w.Spec.Shape)
	if ids, ok := idsOf(w, w.Spec.On); ok {
		kind.Set(c, "spec.resource.atop", t.On, ids, kind.Replace)
	}
	if ids, ok := idsOf(w, w.Spec.Near); ok {
		kind.Set(c, "spec.resource.near", t.Near, ids, kind.InPlace)
	} else {
		c.Add(kind.Change{Field: "spec.resource.near", Want: "known later"})
	}
	if ids, all := besides(w, t.ID); all {
		kind.Set(c, "spec.resource.beside", t.Beside, ids, kind.InPlace)
	} else {
		c.Add(kind.Change{Field: "spec.resource.beside", Want: "known later"})
	}
}

// besides are the IDs of the things that one is to be beside, as far as they are
// known; own is its own.
func besides(w kind.Want[Spec], own string) (ids []string, all bool) {
	all = true
	for _, name := range w.Spec.Beside {
		ref := w.Ref("Thing", name)
		switch {
		case ref.Key == w.Key:
			ids = append(ids, own)
		case ref.Ready:
			ids = append(ids, ref.ID)
		default:
			all = false
		}
	}
	return ids, all
}

func idsOf(w kind.Want[Spec], names []string) ([]string, bool) {
	ids := []string{}
	for _, name := range names {
		ref := w.Ref("Thing", name)
		if ref.ID == "" {
			return nil, false
		}
		ids = append(ids, ref.ID)
	}
	return ids, true
}

// world is a cloud of Things. Its methods may be called concurrently.
type World struct {
	Mu      sync.Mutex
	Things  map[string]*Thing
	next    int
	Writes  int
	Delay   int   // lists that building and deleting take
	ListErr error // what List answers
	// create, if set, is asked before every create and may lose its answer.
	OnCreate func(name string) (before, after error)
	OnDelete func(name string) error // if set, asked before every delete
	Stubborn map[string]bool         // names whose colour never changes
	Missing  map[string]bool         // names whose updates need something that is gone
	Wrote    func()                  // if set, called after every write
}

// write counts a write.
func (w *World) write() {
	w.Writes++
	if w.Wrote != nil {
		w.Wrote()
	}
}

func New() *World { return &World{Things: map[string]*Thing{}} }

func (w *World) Put(t Thing) *Thing {
	w.next++
	t.ID = fmt.Sprintf("id-%03d", w.next)
	w.Things[t.ID] = &t
	return &t
}

func (w *World) Kind() kind.Kind {
	return kind.Define[Spec, Filter, Thing](kind.Info{Group: "test", Version: "v1", Kind: "Thing", Unmark: "thing unset <mark> <id>"}, Rules{}, w)
}

func (w *World) live(t *Thing) kind.Live[*Thing] {
	state := *t
	loose := slices.DeleteFunc(slices.Clone(t.Beside), func(id string) bool { return slices.Contains(t.On, id) || slices.Contains(t.Near, id) })
	l := kind.Live[*Thing]{ID: t.ID, Name: t.Name, Mark: t.Mark, Copied: t.Copied, Mine: t.Mine, Phase: kind.Ready, State: &state, Uses: slices.Concat(t.On, t.Near, t.Beside), Loose: loose, InUse: t.Used, Created: t.Created}
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

func (w *World) List(context.Context) ([]kind.Live[*Thing], error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if w.ListErr != nil {
		return nil, w.ListErr
	}
	var out []kind.Live[*Thing]
	for _, id := range slices.Sorted(maps.Keys(w.Things)) {
		t := w.Things[id]
		if t.Building > 0 {
			t.Building--
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
	return out, nil
}

func (w *World) Create(_ context.Context, want kind.Want[Spec]) (kind.Live[*Thing], error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var lost error
	if w.OnCreate != nil {
		before, after := w.OnCreate(want.Key.Name)
		if before != nil {
			return kind.Live[*Thing]{}, before
		}
		lost = after
	}
	on, _ := idsOf(want, want.Spec.On)
	near, _ := idsOf(want, want.Spec.Near)
	for _, id := range append(slices.Clone(on), near...) {
		if w.Things[id] == nil {
			return kind.Live[*Thing]{}, fmt.Errorf("%w: no thing %s to lean on", kind.ErrRejected, id)
		}
	}
	w.write()
	mark := want.Mark
	t := w.Put(Thing{Name: want.Key.Name, Colour: want.Spec.Colour, Shape: want.Spec.Shape, On: on, Near: near, Mark: &mark, Mine: true, Building: w.Delay})
	beside, all := besides(want, t.ID)
	if t.Beside = beside; !all {
		mark.Applied = kind.Unfinished
	}
	if lost != nil {
		return kind.Live[*Thing]{}, lost
	}
	return w.live(t), nil
}

func (w *World) Update(_ context.Context, want kind.Want[Spec], have kind.Live[*Thing], _ []kind.Change) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	t := w.Things[have.ID]
	if t == nil {
		return kind.ErrGone
	}
	w.write()
	if w.Missing[t.Name] {
		return fmt.Errorf("%w: no such colour", kind.ErrGone)
	}
	if !w.Stubborn[t.Name] {
		t.Colour = want.Spec.Colour
	}
	t.Near, _ = idsOf(want, want.Spec.Near)
	t.Beside, _ = besides(want, t.ID)
	mark := want.Mark
	t.Mark, t.Copied = &mark, ""
	return nil
}

func (w *World) Delete(_ context.Context, have kind.Live[*Thing]) (bool, error) {
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
			return false, fmt.Errorf("%w: %s leans on it", kind.ErrBusy, other.Name)
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

// names lists what is in the world and not on its way out.
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

// wanted resolves manifests of Things. Each line is "name field=value …".
func (w *World) Wanted(lines ...string) ([]kind.Desired, error) {
	return w.WantedWithin(resolve.Bounds{}, lines...)
}

// within is wanted with other bounds than a stack's usual ones.
func (w *World) WantedWithin(bounds resolve.Bounds, lines ...string) ([]kind.Desired, error) {
	files := fstest.MapFS{}
	for file := range slices.Chunk(lines, 5000) { // more would be too much for one
		var doc strings.Builder
		for _, line := range file {
			fmt.Fprintf(&doc, "---\n%s\n", Manifest(line))
		}
		files[strings.Repeat("more-", len(files))+"things.yaml"] = &fstest.MapFile{Data: []byte(doc.String())}
	}
	reader := resolve.Reader{Kinds: []kind.Kind{w.Kind()}, Bounds: bounds}
	reading, err := reader.Read(context.Background(), files)
	return reading.Want, err
}

func Manifest(line string) string {
	words := strings.Fields(line)
	var resource, annotations, imported []string
	for _, word := range words[1:] {
		field, value, _ := strings.Cut(word, "=")
		switch field {
		case "atop", "near", "beside":
			resource = append(resource, fmt.Sprintf("%s: [%s]", field, value))
		case "import":
			imported = append(imported, "filter: {name: "+value+"}")
		case "adopt":
			imported = append(imported, "id: "+value)
		case "colour", "shape":
			resource = append(resource, field+": "+value)
		default:
			annotations = append(annotations, fmt.Sprintf("stackreeve.dev/%s: %q", field, value))
		}
	}
	spec := "resource: {" + strings.Join(resource, ", ") + "}"
	switch {
	case len(imported) > 0 && strings.HasPrefix(imported[0], "filter"):
		spec = "managementPolicy: unmanaged, import: {" + imported[0] + "}"
	case len(imported) > 0:
		spec += ", import: {" + imported[0] + "}"
	}
	return fmt.Sprintf("apiVersion: test/v1\nkind: Thing\nmetadata: {name: %s, annotations: {%s}}\nspec: {%s}", words[0], strings.Join(annotations, ", "), spec)
}

func Key(name string) manifest.Key {
	return manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: name}
}

var ErrLost = errors.New("connection reset")

// fill puts things into the world. Each line is "name owner field=value …",
// owner one of ours (mark of the present manifest), stale (of an older one),
// keep, half, other, nobody, alien (another project's). Among the fields are
// as=NAME (the mark is that of NAME), like=NAME (what was applied is what NAME is now), rival=STACK and kind=KIND of the mark.
func Fill(t *testing.T, w *World, cloud []string, want []kind.Desired) {
	t.Helper()
	for _, line := range cloud {
		words := strings.Fields(line)
		x := Thing{Name: words[0], Mine: words[1] != "alien"}
		owner := kind.OwnerText("s", Key(x.Name))
		switch words[1] {
		case "unfinished":
			x.Mark = &kind.Mark{Owner: owner, Applied: kind.Unfinished}
		case "ours":
			x.Mark = &kind.Mark{Owner: owner, Applied: "gone"}
			for _, d := range want {
				if d.Key.Name == x.Name {
					mark := d.PlainMark("s")
					x.Mark = &mark
				}
			}
		case "stale":
			x.Mark = &kind.Mark{Owner: owner, Applied: "older"}
		case "keep":
			x.Mark = &kind.Mark{Owner: owner, Applied: "older", Keep: true}
		case "half":
			x.Mark = &kind.Mark{Owner: owner}
		case "other":
			x.Mark = &kind.Mark{Owner: kind.OwnerText("other", Key(x.Name)), Applied: "x"}
		}
		for _, word := range words[2:] {
			field, value, _ := strings.Cut(word, "=")
			switch field {
			case "colour":
				x.Colour = value
			case "shape":
				x.Shape = value
			case "atop":
				x.On = []string{value}
			case "near":
				x.Near = []string{value}
			case "beside":
				x.Beside = []string{value}
			case "building":
				x.Building = 9
			case "leaving":
				x.Leaving = 9
			case "failed":
				x.Failed = true
			case "used":
				x.Used = true
			case "down":
				x.Down = value
			case "copied":
				x.Copied = "was restored from backup " + value
			case "created":
				day, _ := strconv.Atoi(value)
				x.Created = time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC)
			case "rival":
				x.Mark.Rivals = kind.OwnerText(value, Key(x.Name))
			case "as":
				x.Mark.Owner = kind.OwnerText("s", Key(value))
			case "like":
				for _, d := range want {
					if d.Key.Name == value {
						x.Mark.Applied = d.PlainMark("s").Applied
					}
				}
			case "kind":
				x.Mark.Owner = kind.OwnerText("s", manifest.Key{Kind: value, Name: x.Name})
			}
		}
		w.Put(x)
	}
}

// allocated is how many MiB f allocates.
func Allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc-before.TotalAlloc) >> 20
}

// things is a repository of so many Things, each near others.
func Files(n int, near func(i int) []int) fstest.MapFS {
	files := fstest.MapFS{}
	for i := range n {
		name := fmt.Sprintf("%03d.yaml", i/500)
		if files[name] == nil {
			files[name] = &fstest.MapFile{}
		}
		var names []string
		for _, j := range near(i) {
			names = append(names, fmt.Sprintf("t%05d", j))
		}
		files[name].Data = fmt.Appendf(files[name].Data, "---\napiVersion: test/v1\nkind: Thing\nmetadata: {name: t%05d}\nspec: {resource: {near: [%s]}}\n", i, strings.Join(names, ", "))
	}
	return files
}

// Snapshot is what the world holds, as an engine sees it.
func (w *World) Snapshot() kind.Snapshot {
	items, err := w.Kind().Driver().List(context.Background())
	return kind.Snapshot{"Thing": {Items: items, Err: err}}
}
