package resolve_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// A pull request may double the size of the branch, or add as much as a small stack may have, but never exceeds the bounds of the stack.
func TestBoundsOfPullRequests(t *testing.T) {
	for name, c := range map[string]struct {
		stack resolve.Bounds
		base  resolve.Size
		added int
		want  resolve.Bounds
	}{
		"a new stack":   {resolve.Bounds{}, resolve.Size{}, 0, resolve.Bounds{Objects: 1000, Values: 250_000, Bytes: 8_192_000}},
		"a small stack": {resolve.Bounds{}, resolve.Size{Objects: 10, Values: 20, Bytes: 30}, 5, resolve.Bounds{Objects: 20, Values: 20 + 1250, Bytes: 30 + 40_960}},
		"a large stack": {resolve.Bounds{}, resolve.Size{Objects: 3000, Values: 300_000, Bytes: 9_000_000}, 5, resolve.Bounds{Objects: 6000, Values: 600_000, Bytes: 18_000_000}},
		"a full stack":  {resolve.Bounds{Objects: 10}, resolve.Size{Objects: 8, Values: 900_000, Bytes: 60 << 20}, 5, resolve.Bounds{Objects: 10, Values: manifest.DefaultNodes, Bytes: manifest.DefaultTotalBytes}},
	} {
		got := c.stack.ForPull(c.base, c.added)
		if got.Objects != c.want.Objects || got.Values != c.want.Values || got.Bytes != c.want.Bytes {
			t.Errorf("%s: %d objects, %d values, %d bytes; want %d, %d, %d", name, got.Objects, got.Values, got.Bytes, c.want.Objects, c.want.Values, c.want.Bytes)
		}
	}
}

// The advice names the setting with which people can raise the limit.
func TestLimitsThatPeopleCanRaise(t *testing.T) {
	stack := resolve.Bounds{Objects: 2}
	for name, c := range map[string]struct {
		bounds resolve.Bounds
		limit  string
	}{
		"a branch":                              {stack, "spec.limits.objects "},
		"a pull request":                        {stack.ForPull(resolve.Size{}, 1), "spec.limits.pullObjects "},
		"a pull request that may have them all": {stack.ForPull(resolve.Size{Objects: 1}, 1), "spec.limits.objects "},
	} {
		_, err := read(resolve.Reader{Bounds: c.bounds}, "Crowd c {count: 2}")
		if p := problemsOf(t, err); len(p) != 1 || !strings.Contains(p[0].Fix+" ", c.limit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// If objects expand into others, the number and the size of the values in those are limited, too.
func TestBoundsOfExpansions(t *testing.T) {
	for name, c := range map[string]struct {
		things []string
		colour string
		fits   bool
	}{
		"a little":        {nil, "red", true},
		"too much text":   {nil, strings.Repeat("r", 70_000), false},
		"too many values": {slices.Repeat([]string{"a"}, 250), "red", false},
	} {
		k := asker(func(e *kind.Expansion) {
			e.Child("Box", "b", map[string]any{"spec": map[string]any{"resource": map[string]any{"colour": c.colour, "things": c.things}}})
		}, "Box")
		if _, err := read(resolve.Reader{Kinds: kinds(k), Missing: true, Bounds: resolve.Bounds{Objects: 2}}, "Asker q"); (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The costs of a pull request are limited by the costs of the branch, or by the costs of the objects that it may add.
func TestCostsOfPullRequests(t *testing.T) {
	spends := func(cost int) resolve.Reader {
		return resolve.Reader{Kinds: kinds(asker(func(e *kind.Expansion) { e.TakeCost(cost) }))}
	}
	for name, c := range map[string]struct {
		base, pull int
		fits       bool
	}{
		"what two objects may cost":  {0, 2000, true},
		"more":                       {0, 2001, false},
		"twice what the branch does": {5000, 10_000, true},
		"more than twice":            {5000, 10_001, false},
		"a little of the branch":     {100, 2100, true},
		"more than that and two":     {100, 2101, false},
	} {
		base, err := read(spends(c.base), "Asker q")
		if err != nil {
			t.Fatal(err)
		}
		r := spends(c.pull)
		r.Bounds = resolve.Bounds{}.ForPull(base.Size, 2)
		if _, err := read(r, "Asker q"); (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The size of a revision is the number of its objects and values, and the size of its files. If it exceeds a bound, it is refused at the
// first object that is too much.
func TestBoundsOfRevisions(t *testing.T) {
	docs := []string{"Thing a {colour: red}", "Crowd c {count: 2}", "Thing b"}
	reading, err := read(resolve.Reader{}, docs...)
	if err != nil || reading.Size.Objects != 5 || reading.Size.Bytes != int64(len(manifests(docs...))) || reading.Size.Values < 20 {
		t.Errorf("%+v, %v", reading.Size, err)
	}
	for name, c := range map[string]struct {
		bounds resolve.Bounds
		at     string // the object of the mistake; "-" for none
	}{
		"large enough":       {resolve.Bounds{Objects: 5, Values: reading.Size.Values, Bytes: reading.Size.Bytes, Files: 1, Documents: 6}, "-"},
		"too many objects":   {resolve.Bounds{Objects: 4}, "Crowd/c"},
		"few objects":        {resolve.Bounds{Objects: 1}, "Thing/b"},
		"too many values":    {resolve.Bounds{Values: reading.Size.Values - 1}, ""},
		"too many bytes":     {resolve.Bounds{Bytes: reading.Size.Bytes - 1}, ""},
		"too many documents": {resolve.Bounds{Documents: 2}, ""},
	} {
		_, err := read(resolve.Reader{Bounds: c.bounds}, docs...)
		got := "-"
		for _, p := range problemsOf(t, err) {
			got = p.Key.String()
		}
		if got != c.at {
			t.Errorf("%s: at %q, want %q: %v", name, got, c.at, err)
		}
	}
}

// Patterns of a selection that match nothing are reported.
func TestSelections(t *testing.T) {
	files := fstest.MapFS{"net/a.yaml": {Data: []byte(manifests("Thing a"))}, "web/b.yaml": {Data: []byte(manifests("Thing b"))}}
	r := resolve.Reader{Kinds: kinds(), Root: "stacks", Selection: manifest.Selection{Include: []string{"net", "nothing"}, Exclude: []string{"nobody"}}}
	reading, err := r.Read(t.Context(), files)
	if err != nil || names(reading.Want) != "Thing/a" || len(reading.Ignored) != 2 || reading.Ignored[0].Origin.File != "stacks" || reading.Want[0].Origin.File != "stacks/net/a.yaml" {
		t.Errorf("%s, ignored %v, %v", names(reading.Want), reading.Ignored, err)
	}
	if got := reading.Suspects(); len(got) != 1 || got[0] != "nothing" {
		t.Errorf("suspects: %q", got)
	}
	r.Root = ""
	if reading, _ := r.Read(t.Context(), files); reading.Ignored[0].Origin.File != "." {
		t.Errorf("at %s", reading.Ignored[0].Origin.File)
	}
}

// A document of the agent's own configuration is not an object of a stack.
func TestConfigurationsBesideManifests(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte("{apiVersion: stackreeve.dev/v1alpha1, kind: Stack, metadata: {name: s}}\n---\n" + manifests("Thing a"))}}
	reading, err := resolve.Reader{Kinds: kinds()}.Read(t.Context(), files)
	if err != nil || names(reading.Want) != "Thing/a" || len(reading.Ignored) != 1 || !reading.Ignored[0].Known {
		t.Errorf("%s, ignored %v, %v", names(reading.Want), reading.Ignored, err)
	}
	for kind, is := range map[string]bool{"Stack": true, "stack": true, "Agents": true, "Thing": false} {
		if resolve.IsConfig(kind) != is {
			t.Errorf("%s: %t", kind, !is)
		}
	}
}

// A kind is accepted under each of its spellings.
func TestSpellingsOfKinds(t *testing.T) {
	spec := box()
	spec.Info.Aliases = []string{"older.test", "oldest.test/v0"}
	for _, group := range []string{"test/v1", "older.test/v1", "oldest.test/v0"} {
		reading, err := resolve.Reader{Kinds: []*kind.Kind{spec.Resource()}}.Read(t.Context(), fstest.MapFS{"a.yaml": {Data: []byte("{apiVersion: " + group + ", kind: Box, metadata: {name: b}, spec: {resource: {}}}")}})
		if err != nil || reading.Want[0].Key.Group != "test" {
			t.Errorf("%s: %v", group, err)
		}
	}
}
