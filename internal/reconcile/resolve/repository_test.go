package resolve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// asked expands an Asker with the name q in a repository, and returns the answers that its kind gets.
func asked(t *testing.T, r resolve.Reader, ask func(e *kind.Expansion) []any, repo ...string) string {
	t.Helper()
	var got []any
	r.Kinds = kinds(asker(func(e *kind.Expansion) { got = ask(e) }, "Thing"))
	if _, err := read(r, append([]string{"Asker q"}, repo...)...); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprintln(got...))
}

func answers(all ...any) []any { return all }

// During an expansion, kinds ask about other objects of the revision. Names are names in the namespace of the expanding object.
func TestWhatKindsAsk(t *testing.T) {
	repo := []string{
		"Thing a10 {near: [a9]}", "Thing a9", "Thing other:x", "Box b10 {lid: a9}", "Box b {lid: a9, things: [a10], colour: red}", "Box b2 {lid: a9, reads: a9}", "Box other:b3 {lid: x}",
		"Text t {word: hello}", "Crowd c {count: 2, spares: 1, member: {resource: {near: [a9]}}}", "Fleet f {count: 2, crowd: {count: 1}}", "Thing i =spec: {managementPolicy: unmanaged, import: {id: id-7}}",
	}
	data := func(of, name, entry string) func(e *kind.Expansion) []any {
		return func(e *kind.Expansion) []any { text, ok := e.Data(of, name, entry); return answers(text, ok) }
	}
	members := func(kindName, name, of string) func(e *kind.Expansion) []any {
		return func(e *kind.Expansion) []any { names, ok := e.Members(kindName, name, of); return answers(names, ok) }
	}
	for name, c := range map[string]struct {
		ask  func(e *kind.Expansion) []any
		want string
	}{
		"what is declared": {func(e *kind.Expansion) []any { return answers(e.Declared("Thing"), e.Declared("Box")) }, "[a9 a10 i] [b b2 b10]"},
		"what is meant": {func(e *kind.Expansion) []any {
			return answers(e.GuessName("Thing", "a99"), "-", e.GuessName("Thing", "nothing-like-it"))
		}, "a9 -"},
		"an entry": {data("Text", "t", "word"), "hello true"},
		"no entry": {data("Text", "t", "other"), "false"},
		"no data":  {data("Text", "u", "word"), "false"},
		"what refers to an object": {func(e *kind.Expansion) []any {
			return answers(e.Referring("Box", "Thing", "a9"), e.Referring("Thing", "Thing", "a9"))
		}, "[b b2 b10] [a10]"},
		"what refers to none": {func(e *kind.Expansion) []any { return answers(len(e.Referring("Box", "Thing", "x"))) }, "0"},
		"what an object refers to": {func(e *kind.Expansion) []any {
			return answers(e.MemberReferred("Box", "b", "Thing"), e.MemberReferred("Box", "b", "Text"))
		}, "[a10 a9] []"},
		"what no object refers to": {func(e *kind.Expansion) []any { return answers(e.MemberReferred("Box", "none", "Thing") == nil) }, "true"},
		"members":                  {members("Crowd", "c", "Thing"), "[c-0 c-1 c-spare-0] true"},
		"members of members":       {members("Fleet", "f", "Thing"), "[f-0-0 f-1-0] true"},
		"members twice": {func(e *kind.Expansion) []any {
			e.Members("Fleet", "f", "Crowd")
			return members("Fleet", "f", "Crowd")(e)
		}, "[f-0 f-1] true"},
		"members of none":  {members("Crowd", "none", "Thing"), "[] false"},
		"how one is found": {func(e *kind.Expansion) []any { return answers(e.Imported("Thing", "i").ID) }, "id-7"},
		"that one is made": {func(e *kind.Expansion) []any {
			return answers(e.Imported("Thing", "a9") == nil, e.Imported("Thing", "none") == nil)
		}, "true true"},
		"what a manifest states": {func(e *kind.Expansion) []any { return answers(e.Stated("Box", "b").Name) }, "red"},
		"what no manifest states": {func(e *kind.Expansion) []any {
			return answers(e.Stated("Box", "none").Name == "", e.Stated("Thing", "a9").Name == "")
		}, "true true"},
		"whether a key is there": {func(e *kind.Expansion) []any { return answers(e.Declares("Box", "b"), e.Declares("Box", "b3")) }, "true false"},
		"what a declared one refers to": {func(e *kind.Expansion) []any {
			names, ok := e.Referred("Crowd", "c", "Thing")
			return answers(len(names), ok)
		}, "0 true"},
	} {
		if got := asked(t, resolve.Reader{}, c.ask, repo...); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// About a broken object, kinds get no answer: it has no references and no facts.
func TestWhatKindsAskAboutBrokenObjects(t *testing.T) {
	var got []any
	all := kinds(asker(func(e *kind.Expansion) {
		got = answers(len(e.MemberReferred("Box", "b", "Thing")), e.Stated("Box", "b").Name, len(e.Referring("Box", "Thing", "a")))
	}))
	if _, err := read(resolve.Reader{Kinds: all}, "Thing a", "Box b {lid: a, colour: ugly}", "Asker q"); len(faults(t, err)) != 1 {
		t.Fatal(err)
	}
	if text := fmt.Sprint(got...); text != "00" && text != "0 0" {
		t.Errorf("got %q", text)
	}
}

// A kind leaves the changes of a field to another object, unless the annotations of the first object decide about that field.
func TestFieldsThatAreEntrusted(t *testing.T) {
	const field = "spec.resource.weight"
	for name, c := range map[string]struct {
		of, by   string // the annotations of the object, and of the object that would change the field
		entrusts bool
	}{
		"nothing is said":            {"", "", true},
		"the field is left alone":    {"ignore-fields=" + field, "", false},
		"a field beside it":          {"ignore-fields=spec.resource.colour", "", true},
		"it is suspended":            {"suspend=true", "", false},
		"a way of its own":           {"change-policy=" + field + "=replace", "", false},
		"the same way":               {"change-policy=" + field + "=replace", "change-policy=" + field + "=replace", true},
		"a way of the one that asks": {"", "change-policy=" + field + "=replace", true},
	} {
		all := kinds(asker(func(e *kind.Expansion) {
			e.Child("Thing", "q-own", map[string]any{"spec": map[string]any{"resource": map[string]any{}}})
		}, "Thing"), trustee(field))
		reading, err := read(resolve.Reader{Kinds: all}, "Thing x", "Thing a {near: [x]} | "+c.of, "Trustee q =spec: {resource: {}} | "+c.by)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		to, is := object(t, reading.Want, "Thing/a").Options.Entrusted[field]
		if is != c.entrusts || is && to.Name != "q" {
			t.Errorf("%s: %t to %s", name, is, to)
		}
	}
	for name, of := range map[string]string{"it is only used": "Box a =spec: {managementPolicy: unmanaged, import: {filter: {thing: x}}}", "it is not there": "Thing b", "it stands for others": "Crowd a {count: 1, member: {resource: {near: [x]}}}"} {
		reading, err := read(resolve.Reader{Kinds: kinds(trustee(field))}, "Thing x", of, "Trustee q =spec: {resource: {}}")
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range reading.Want {
			if d.Options.Entrusted != nil {
				t.Errorf("%s: entrusted", name)
			}
		}
	}
}

// trustee returns a kind whose objects would change a field of the Thing, the Crowd and the Box with the name a.
func trustee(field string) *kind.Kind {
	k := thingtest.Typed(kind.Info{Group: "test", Version: "v1", Kind: "Trustee"}, thingtest.New())
	k.Expand = func(_ *thingtest.Spec, e *kind.Expansion) {
		e.Entrusted("Thing", "a", field, "Thing")
		e.Entrusted("Crowd", "a", field, "Thing")
		e.Entrusted("Box", "a", field, "Thing")
	}
	return k.Resource()
}

// The number of names in answers is limited, and so is the cost of expressions.
func TestBoundsOfAnswers(t *testing.T) {
	cost := func(n int) func(e *kind.Expansion) []any {
		return func(e *kind.Expansion) []any { return answers(e.TakeCost(n)) }
	}
	handed := 0
	members := kinds(asker(func(e *kind.Expansion) {
		for range 61 {
			names, _ := e.Members("Crowd", "c", "Thing")
			handed += len(names)
		}
	}))
	if _, err := read(resolve.Reader{Kinds: members, Bounds: resolve.Bounds{Objects: 3}}, "Crowd c {count: 1}", "Asker q"); err == nil || handed != 60 {
		t.Errorf("%d names are handed out, %v", handed, err)
	}
	for name, c := range map[string]struct {
		objects, cost int
		fits          bool
	}{"just enough": {3, 3000, true}, "too much": {3, 3001, false}} {
		var got []any
		r := resolve.Reader{Bounds: resolve.Bounds{Objects: c.objects}, Kinds: kinds(asker(func(e *kind.Expansion) { got = cost(c.cost)(e) }))}
		if _, err := read(r, "Asker q"); (err == nil) != c.fits || got[0] != c.fits {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// If the context ends, reading ends with its error.
func TestReadingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	all := kinds(asker(func(*kind.Expansion) { cancel() }))
	_, err := resolve.Reader{Kinds: all}.Read(ctx, fstest.MapFS{"a.yaml": {Data: []byte(manifests("Asker q", "Asker r"))}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// While an object is being expanded, its members are not complete.
func TestMembersWhileExpanding(t *testing.T) {
	var got []int
	k := asker(func(e *kind.Expansion) {
		names, _ := e.Members("Asker", "q", "Thing")
		if got = append(got, len(names)); e.Key.Name == "q" {
			e.Child("Thing", "part", map[string]any{"spec": map[string]any{"resource": map[string]any{}}})
		}
	}, "Thing")
	if _, err := read(resolve.Reader{Kinds: kinds(k)}, "Asker q", "Asker r"); err != nil || !slices.Equal(got, []int{0, 1}) {
		t.Errorf("%v members, %v", got, err)
	}
}

// If a missing object may belong to a broken object, it is not reported as missing, because the other mistake must be corrected first.
func TestWhatBrokenObjectsMayHave(t *testing.T) {
	lacks := func(name string) *kind.Kind {
		return asker(func(e *kind.Expansion) { e.Missing("spec", "Thing", name, "") })
	}
	for name, c := range map[string]struct {
		lacks string
		repo  []string
		want  []string
	}{
		"nothing is broken":       {"c-0", []string{"Asker q"}, []string{"Asker/q spec"}},
		"it may be a part of it":  {"c-0", []string{"Asker q", "Broken c"}, []string{"Broken/c spec"}},
		"it is none of its parts": {"d-0", []string{"Asker q", "Broken c"}, []string{"Asker/q spec", "Broken/c spec"}},
		"it is broken itself":     {"a", []string{"Asker q", "Thing a {shape: spiky}"}, []string{"Thing/a spec.resource.shape"}},
		"it is there, and well":   {"a", []string{"Asker q", "Thing a", "Broken d"}, []string{"Asker/q spec", "Broken/d spec"}},
		"a definition is broken":  {"a", []string{"Asker q", "Recipe cake {parts: 7}"}, []string{"Recipe/cake spec", "Recipe/cake spec.parts"}},
		"a name cannot be read":   {"a", []string{"Asker q", "Thing Bad_Name"}, []string{"Thing/Bad_Name metadata.name"}},
	} {
		broken := broken()
		broken.Expand = func(_ *kind.Desired, e *kind.Expansion) { e.Problem("spec", "is broken", "mend it") }
		repo := append(slices.Clone(c.repo[1:]), c.repo[0]) // the broken object comes first, so that it is known when the other one is expanded
		_, err := read(resolve.Reader{Kinds: kinds(lacks(c.lacks), broken, recipe())}, repo...)
		got := faults(t, err)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
