package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// If the template of a group's members has a mistake, it is one mistake of the group's manifest, at the place of the template.
func TestMistakesOfMembers(t *testing.T) {
	refused(t, resolve.Reader{Kinds: kinds(band("Band", kind.Group{Members: "Thing"}), band("Troop", kind.Group{Members: "Box", Spec: "spec.member"}), broken())}, map[string]refusal{
		"of one":                 {[]string{"Crowd c {count: 1, member: {resource: {shape: spiky}}}"}, []string{"Crowd/c spec.member.resource.shape"}, ""},
		"of many, the same":      {[]string{"Crowd c {count: 5, member: {resource: {shape: spiky}}}"}, []string{"Crowd/c spec.member.resource.shape"}, ""},
		"of members of a member": {[]string{"Fleet f {count: 2, crowd: {count: 2, member: {resource: {shape: spiky}}}}"}, []string{"Fleet/f spec.crowd.member.resource.shape"}, ""},
		"of two groups":          {[]string{"Crowd c {count: 2, member: {resource: {shape: spiky}}}", "Crowd d {count: 2, member: {resource: {shape: spiky}}}"}, []string{"Crowd/c spec.member.resource.shape", "Crowd/d spec.member.resource.shape"}, ""},
		"in what is no template": {[]string{"Crowd c {count: 2} | ignore-fields=spec.resource.nothing"}, []string{"Crowd/c metadata.annotations[stackreeve.dev/ignore-fields]"}, ""},
		"of a group without a template of their specs": {[]string{"Band x {count: 2}"}, []string{"Thing/x-0 spec.resource.shape"}, ""},
		"of parts that are no members":                 {[]string{"Troop x {count: 2}"}, []string{"Thing/x-0 spec.resource.shape"}, ""},
		"twice the same object":                        {[]string{"Thing a", "Thing a"}, []string{"Thing/a"}, ""},
		"a part of the same name has others, too":      {[]string{"Broken c", "Band x {count: 1}", "Thing x-0"}, []string{"Broken/c spec", "Thing/x-0"}, ""},
		"of the name of a member":                      {[]string{"Crowd c {count: 2}", "Thing c-1"}, []string{"Thing/c-1"}, ""},
	})
}

// If several parts share a mistake, it is reported once, with the number of the others.
func TestMistakesThatPartsShare(t *testing.T) {
	parts := func(shapes ...string) *kind.Kind {
		return asker(func(e *kind.Expansion) {
			for i, shape := range shapes {
				e.Child("Thing", fmt.Sprintf("%s-%d", e.Key.Name, i), map[string]any{"spec": map[string]any{"resource": map[string]any{"shape": shape}}})
			}
		}, "Thing")
	}
	for name, c := range map[string]struct {
		kind  *kind.Kind
		repo  []string
		count int
	}{
		"all of them":    {parts("spiky", "spiky", "spiky"), []string{"Asker q"}, 1},
		"of two objects": {parts("spiky", "spiky"), []string{"Asker q", "Asker r"}, 2},
		"one alone":      {parts("spiky", "round"), []string{"Asker q"}, 1},
		"of two written": {parts(), []string{"Thing a {shape: spiky}", "Thing b {shape: spiky}"}, 2},
	} {
		_, err := read(resolve.Reader{Kinds: kinds(c.kind)}, c.repo...)
		if got := faults(t, err); len(got) != c.count {
			t.Errorf("%s: %q", name, got)
		}
	}
	shared := func(n int) string {
		shapes := make([]string, n)
		for i := range shapes {
			shapes[i] = "spiky"
		}
		_, err := read(resolve.Reader{Kinds: kinds(parts(shapes...))}, "Asker q")
		return problemsOf(t, err)[0].What
	}
	_, err := read(resolve.Reader{}, "Thing a {shape: spiky}")
	if alone := problemsOf(t, err)[0].What; alone != shared(1) {
		t.Errorf("others are told where there are none: %s", shared(1))
	}
	if one, two, three := shared(1), shared(2), shared(3); one == two || two == three {
		t.Errorf("the number of the others is not told: %s, %s, %s", one, two, three)
	}
}

// A reference to a part of a broken object is not reported as a second mistake.
func TestPartsOfBrokenObjects(t *testing.T) {
	refused(t, resolve.Reader{Kinds: kinds(broken())}, map[string]refusal{
		"a part, by its name":            {[]string{"Broken c", "Box b {lid: c-0}"}, []string{"Broken/c spec"}, ""},
		"a part with the object's name":  {[]string{"Broken c", "Box b {lid: c}"}, []string{"Broken/c spec"}, ""},
		"a part of a part":               {[]string{"Broken c", "Box b {lid: c-0-0}"}, []string{"Broken/c spec"}, ""},
		"what has another name":          {[]string{"Broken c", "Box b {lid: d-0}"}, []string{"Broken/c spec", "Box/b spec.resource.lid"}, ""},
		"what is of another namespace":   {[]string{"Broken o:c", "Box b {lid: c-0}"}, []string{"Broken/o/c spec", "Box/b spec.resource.lid"}, ""},
		"what is of another kind":        {[]string{"Broken c", "Box b {text: c-0}"}, []string{"Broken/c spec", "Box/b spec.resource.text"}, ""},
		"nothing is broken":              {[]string{"Crowd c {count: 1}", "Box b {lid: c-1}"}, []string{"Box/b spec.resource.lid"}, ""},
		"what refers to a broken object": {[]string{"Thing c {shape: spiky}", "Box b {lid: c}"}, []string{"Thing/c spec.resource.shape"}, ""},
	})
}

// broken returns a kind of workload that always has a mistake. It can expand into Crowds, and into itself.
func broken() *kind.Kind {
	k := asker(func(e *kind.Expansion) { e.Problem("spec", "is broken", "mend it") }, "Broken", "Crowd")
	k.Info.Kind = "Broken"
	return k
}

// Parts have the place of their object's manifest, and its annotations. Spare members are neither adopted nor kept. If an object is in the cloud
// itself, its parts are not adopted.
func TestPartsOfObjects(t *testing.T) {
	want := wanted(t, "Thing first", "Crowd c {count: 1, spares: 1, scaled: 1} | prune=false adopt=true on-delete=detach data-loss=allow")
	for name, c := range map[string]struct{ keep, detach, adopts, spare, scaled bool }{
		"Thing/c-0":        {false, true, true, false, false},
		"Thing/c-spare-0":  {false, false, false, true, false},
		"Thing/c-scaled-0": {false, true, true, false, true},
	} {
		d := object(t, want, name)
		if d.Origin.Line != 3 || d.Parent.Name != "c" || d.Options.DataLoss == nil || !*d.Options.DataLoss {
			t.Errorf("%s: %s of %s, %+v", name, d.Origin, d.Parent, d.Options)
		}
		if d.Options.NoPrune != true && name != "Thing/c-spare-0" || d.Options.Detach != c.detach || (d.Import != nil) != c.adopts || d.Spare != c.spare || d.Scaled != c.scaled {
			t.Errorf("%s: %+v, import %v, spare %t, scaled %t", name, d.Options, d.Import, d.Spare, d.Scaled)
		}
	}
}

// If a kind suspends an object, the object and all its parts are not changed, as if its annotation said so.
func TestPartsThatAKindSuspends(t *testing.T) {
	for annotation, want := range map[string]bool{"": true, "data-loss=allow": true} {
		k := asker(func(e *kind.Expansion) {
			e.Suspend()
			e.Public()
			e.Child("Thing", "part", map[string]any{"spec": map[string]any{"resource": map[string]any{}}})
		}, "Thing")
		reading, err := read(resolve.Reader{Kinds: kinds(k)}, "Asker q {} | "+annotation, "Thing other")
		if err != nil {
			t.Fatal(err)
		}
		q, part, other := object(t, reading.Want, "Asker/q"), object(t, reading.Want, "Thing/part"), object(t, reading.Want, "Thing/other")
		if q.Options.Suspend != want || part.Options.Suspend != want || other.Options.Suspend || !q.Public || !part.Public || other.Public || (part.Options.DataLoss != nil) != (annotation != "") {
			t.Errorf("%q: %t %t %t", annotation, q.Options.Suspend, part.Options.Suspend, other.Options.Suspend)
		}
	}
}

// If a kind would only use an object, but the repository contains that object, the one in the repository is used.
func TestPartsThatExist(t *testing.T) {
	k := asker(func(e *kind.Expansion) {
		e.Existing("Thing", "net", map[string]any{"spec": map[string]any{"managementPolicy": "unmanaged", "import": map[string]any{"filter": map[string]any{"name": "x"}}}}, "what to do")
	}, "Thing")
	reading, err := read(resolve.Reader{Kinds: kinds(k)}, "Asker q", "Asker r", "Thing other")
	if err != nil {
		t.Fatal(err)
	}
	if d := object(t, reading.Want, "Thing/net"); !d.Unmanaged || d.Import.Hint != "what to do" || reading.Size.Objects != 4 || d.Spare {
		t.Errorf("%+v, %d objects", d.Import, reading.Size.Objects)
	}
	reading, err = read(resolve.Reader{Kinds: kinds(k)}, "Asker q", "Thing net")
	if err != nil {
		t.Fatal(err)
	}
	d := object(t, reading.Want, "Thing/net")
	if d.Unmanaged || d.Parent != (manifest.Key{}) || reading.Size.Objects != 2 {
		t.Errorf("%s of %s, %d objects", d.Key, d.Parent, reading.Size.Objects)
	}
}

// band returns a kind of workload with spiky Things.
func band(name string, group kind.Group) *kind.Kind {
	type spec struct {
		Count int `json:"count"`
	}
	return typed.Workload[spec]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: name, Parts: []string{"Thing"}}, Group: group, Validate: func(*spec, *kind.Report) {},
		Expand: func(s *spec, e *kind.Expansion) {
			for i := range s.Count {
				e.Child("Thing", fmt.Sprintf("%s-%d", e.Key.Name, i), map[string]any{"spec": map[string]any{"resource": map[string]any{"shape": "spiky"}}})
			}
		},
	}.Kind()
}

// If an object passes a wrong reference on to its parts, that is one mistake, of that object.
func TestReferencesThatArePassedOn(t *testing.T) {
	type spec struct {
		Thing string `json:"thing" ref:"Thing"`
		Other string `json:"other"`
	}
	bundle := typed.Workload[spec]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: "Bundle", Parts: []string{"Box"}}, Validate: func(*spec, *kind.Report) {},
		Expand: func(s *spec, e *kind.Expansion) {
			e.Child("Box", e.Key.Name+"-box", map[string]any{"spec": map[string]any{"resource": map[string]any{"lid": s.Thing, "reads": s.Other}}})
		},
	}.Kind()
	refused(t, resolve.Reader{Kinds: kinds(bundle)}, map[string]refusal{
		"passed on":                 {[]string{"Bundle b {thing: x, other: a}", "Thing a"}, []string{"Bundle/b spec.thing"}, ""},
		"one of the part's own":     {[]string{"Bundle b {thing: a, other: w}", "Thing a"}, []string{"Box/b-box spec.resource.reads"}, ""},
		"both, and two of the kind": {[]string{"Bundle b {thing: x, other: w}", "Bundle c {thing: x, other: x}"}, []string{"Bundle/b spec.thing", "Box/b-box spec.resource.reads", "Bundle/c spec.thing"}, ""},
	})
}

// All parts of a spare member are spare, too, and all parts of a scaled member are scaled, too. Parts that exist without the member are
// neither.
func TestPartsOfFurtherMembers(t *testing.T) {
	existing := map[string]any{"spec": map[string]any{"managementPolicy": "unmanaged", "import": map[string]any{"id": "x"}}}
	k := asker(func(e *kind.Expansion) {
		e.Child("Thing", e.Key.Name+"-part", map[string]any{"spec": map[string]any{"resource": map[string]any{}}})
		e.Existing("Thing", "net", existing, "")
		e.Existing("Thing", "image", existing, "")
	}, "Thing")
	pool := asker(func(e *kind.Expansion) {
		body, first := []any{map[string]any{"spec": map[string]any{}}}, func(int) int { return 0 }
		for name, presence := range map[string]kind.Presence{"spare": kind.Spare, "scaled": kind.Scaled, "always": kind.Always} {
			e.Varied("Asker", 1, func(int) string { return name }, body, first, presence)
		}
	}, "Asker")
	pool.Info.Kind = "Pool"
	reading, err := read(resolve.Reader{Kinds: kinds(k, pool)}, "Pool p", "Thing net")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range reading.Want {
		spare, scaled := strings.HasPrefix(d.Key.Name, "spare"), strings.HasPrefix(d.Key.Name, "scaled")
		if d.Spare != spare || d.Scaled != scaled {
			t.Errorf("%s: spare %t, scaled %t", d.Key, d.Spare, d.Scaled)
		}
	}
}

// A kind may use an object that it also makes. The object counts once.
func TestPartsThatAreMadeAndUsed(t *testing.T) {
	k := asker(func(e *kind.Expansion) {
		e.Child("Thing", "net", map[string]any{"spec": map[string]any{"resource": map[string]any{}}})
		e.Existing("Thing", "net", map[string]any{"spec": map[string]any{"managementPolicy": "unmanaged", "import": map[string]any{"id": "x"}}}, "")
	}, "Thing")
	reading, err := read(resolve.Reader{Kinds: kinds(k)}, "Asker q")
	if err != nil || len(reading.Want) != 2 || reading.Size.Objects != 2 {
		t.Errorf("%s, %d objects, %v", names(reading.Want), reading.Size.Objects, err)
	}
}
