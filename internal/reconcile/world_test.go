package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// A small world for the tests of this package: one kind, Thing, whose objects
// have a colour that can be changed, a shape that cannot, and lean on each
// other; and a cloud that holds Things, takes its time over them and refuses to
// delete what is in use.

type thingSpec struct {
	Colour string   `json:"colour,omitempty"`
	Shape  string   `json:"shape,omitempty" rule:"immutable"`
	On     []string `json:"atop,omitempty" rule:"immutable" ref:"Thing"`
	Near   []string `json:"near,omitempty" ref:"Thing"`
	Beside []string `json:"beside,omitempty" ref:"Thing,late"`
}

type thingFilter struct {
	Name   string `json:"name,omitempty"`
	Colour string `json:"colour,omitempty"`
}

func (f *thingFilter) FilterName() string { return f.Name }

type thing struct {
	id, name, colour, shape string
	on, near, beside        []string // IDs
	mark                    *Mark
	mine                    bool
	building                int // lists until it is ready
	leaving                 int // lists until it is gone; 0 = stays
	failed, used            bool
	created                 time.Time
	copied                  string
	down                    string // why it serves nobody
	says                    string // what the cloud says of a failed one
}

type thingRules struct{}

func (thingRules) Name(w Want[thingSpec]) string { return w.Key.Name }
func (thingRules) Validate(s *thingSpec, r *Report) {
	if s.Shape == "spiky" {
		r.Problem("spec.resource.shape", "is spiky", "file it down")
	}
}
func (thingRules) Match(w Want[thingFilter], t *thing) bool {
	return (w.Spec.Name == "" || w.Spec.Name == t.name) && (w.Spec.Colour == "" || w.Spec.Colour == t.colour)
}
func (thingRules) Status(t *thing) any { return map[string]string{"colour": t.colour} }

func (thingRules) Diff(w Want[thingSpec], t *thing, c *Changes) {
	Field(c, "spec.resource.colour", t.colour, w.Spec.Colour)
	Fixed(c, "spec.resource.shape", t.shape, w.Spec.Shape)
	if ids, ok := idsOf(w, w.Spec.On); ok {
		Set(c, "spec.resource.atop", t.on, ids, Replace)
	}
	if ids, ok := idsOf(w, w.Spec.Near); ok {
		Set(c, "spec.resource.near", t.near, ids, InPlace)
	} else {
		c.Add(Change{Field: "spec.resource.near", Want: "known later"})
	}
	if ids, all := besides(w, t.id); all {
		Set(c, "spec.resource.beside", t.beside, ids, InPlace)
	} else {
		c.Add(Change{Field: "spec.resource.beside", Want: "known later"})
	}
}

// besides are the IDs of the things that one is to be beside, as far as they are
// known; own is its own.
func besides(w Want[thingSpec], own string) (ids []string, all bool) {
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

func idsOf(w Want[thingSpec], names []string) ([]string, bool) {
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
type world struct {
	mu     sync.Mutex
	things map[string]*thing
	next   int
	writes int
	delay  int   // lists that building and deleting take
	list   error // what List answers
	// create, if set, is asked before every create and may lose its answer.
	create   func(name string) (before, after error)
	remove   func(name string) error // if set, asked before every delete
	stubborn map[string]bool         // names whose colour never changes
	missing  map[string]bool         // names whose updates need something that is gone
	wrote    func()                  // if set, called after every write
}

// write counts a write.
func (w *world) write() {
	w.writes++
	if w.wrote != nil {
		w.wrote()
	}
}

func newWorld() *world { return &world{things: map[string]*thing{}} }

func (w *world) put(t thing) *thing {
	w.next++
	t.id = fmt.Sprintf("id-%03d", w.next)
	w.things[t.id] = &t
	return &t
}

func (w *world) kind() Kind {
	return Define[thingSpec, thingFilter, thing](Info{Group: "test", Version: "v1", Kind: "Thing", Unmark: "thing unset <mark> <id>"}, thingRules{}, w)
}

func (w *world) live(t *thing) Live[*thing] {
	state := *t
	loose := slices.DeleteFunc(slices.Clone(t.beside), func(id string) bool { return slices.Contains(t.on, id) || slices.Contains(t.near, id) })
	l := Live[*thing]{ID: t.id, Name: t.name, Mark: t.mark, Copied: t.copied, Mine: t.mine, Phase: Ready, State: &state, Uses: slices.Concat(t.on, t.near, t.beside), Loose: loose, InUse: t.used, Created: t.created}
	switch {
	case t.leaving > 0:
		l.Phase = Deleting
	case t.down != "":
		l.Phase, l.Down, l.Message = Degraded, t.down, "is down"
	case t.failed:
		l.Phase, l.Message = Failed, cmp.Or(t.says, "it broke")
	case t.building > 0:
		l.Phase, l.Message = Pending, "BUILD"
	}
	return l
}

func (w *world) List(context.Context) ([]Live[*thing], error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list != nil {
		return nil, w.list
	}
	var out []Live[*thing]
	for _, id := range slices.Sorted(maps.Keys(w.things)) {
		t := w.things[id]
		if t.building > 0 {
			t.building--
		}
		if t.leaving == 1 {
			delete(w.things, id)
			continue
		}
		if t.leaving > 1 {
			t.leaving--
		}
		out = append(out, w.live(t))
	}
	return out, nil
}

func (w *world) Create(_ context.Context, want Want[thingSpec]) (Live[*thing], error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lost error
	if w.create != nil {
		before, after := w.create(want.Key.Name)
		if before != nil {
			return Live[*thing]{}, before
		}
		lost = after
	}
	on, _ := idsOf(want, want.Spec.On)
	near, _ := idsOf(want, want.Spec.Near)
	for _, id := range append(slices.Clone(on), near...) {
		if w.things[id] == nil {
			return Live[*thing]{}, fmt.Errorf("%w: no thing %s to lean on", ErrRejected, id)
		}
	}
	w.write()
	mark := want.Mark
	t := w.put(thing{name: want.Key.Name, colour: want.Spec.Colour, shape: want.Spec.Shape, on: on, near: near, mark: &mark, mine: true, building: w.delay})
	beside, all := besides(want, t.id)
	if t.beside = beside; !all {
		mark.Applied = Unfinished
	}
	if lost != nil {
		return Live[*thing]{}, lost
	}
	return w.live(t), nil
}

func (w *world) Update(_ context.Context, want Want[thingSpec], have Live[*thing], _ []Change) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.things[have.ID]
	if t == nil {
		return ErrGone
	}
	w.write()
	if w.missing[t.name] {
		return fmt.Errorf("%w: no such colour", ErrGone)
	}
	if !w.stubborn[t.name] {
		t.colour = want.Spec.Colour
	}
	t.near, _ = idsOf(want, want.Spec.Near)
	t.beside, _ = besides(want, t.id)
	mark := want.Mark
	t.mark, t.copied = &mark, ""
	return nil
}

func (w *world) Delete(_ context.Context, have Live[*thing]) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.things[have.ID]
	if t == nil {
		return false, ErrGone
	}
	if w.remove != nil {
		if err := w.remove(t.name); err != nil {
			return false, err
		}
	}
	for _, other := range w.things {
		if slices.Contains(other.on, t.id) {
			return false, fmt.Errorf("%w: %s leans on it", ErrBusy, other.name)
		}
	}
	for _, other := range w.things {
		other.beside = slices.DeleteFunc(slices.Clone(other.beside), func(id string) bool { return id == t.id })
	}
	defer w.write()
	if w.delay == 0 {
		delete(w.things, t.id)
		return true, nil
	}
	t.leaving = w.delay
	return false, nil
}

// names lists what is in the world and not on its way out.
func (w *world) names() []string {
	var out []string
	for _, t := range w.things {
		if t.leaving == 0 {
			out = append(out, t.name)
		}
	}
	slices.Sort(out)
	return out
}

// wanted resolves manifests of Things. Each line is "name field=value …".
func (w *world) wanted(lines ...string) ([]Desired, error) { return w.within(Bounds{}, lines...) }

// within is wanted with other bounds than a stack's usual ones.
func (w *world) within(bounds Bounds, lines ...string) ([]Desired, error) {
	files := fstest.MapFS{}
	for file := range slices.Chunk(lines, 5000) { // more would be too much for one
		var doc strings.Builder
		for _, line := range file {
			fmt.Fprintf(&doc, "---\n%s\n", thingManifest(line))
		}
		files[strings.Repeat("more-", len(files))+"things.yaml"] = &fstest.MapFile{Data: []byte(doc.String())}
	}
	reader := Reader{Kinds: []Kind{w.kind()}, Bounds: bounds}
	reading, err := reader.Read(context.Background(), files)
	return reading.Want, err
}

func thingManifest(line string) string {
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

func (w *world) engine() *Engine {
	return &Engine{Stack: "s", Kinds: []Kind{w.kind()}, Limits: Limits{All: Limit{Percent: 100, percent: true}}, Replace: true}
}

func thingKey(name string) manifest.Key {
	return manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: name}
}

var errLost = errors.New("connection reset")
