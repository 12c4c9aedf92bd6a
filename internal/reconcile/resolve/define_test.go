package resolve_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

type recipeSpec struct {
	Parts  []string `json:"parts,omitempty"`  // "Kind name" of each object that it makes; if the name begins with "-", it is a suffix of the object's own name.
	Shows  string   `json:"shows,omitempty"`  // name of a Thing that another object makes.
	Ignore string   `json:"ignore,omitempty"` // the annotation ignore-fields of the parts
}

// recipe returns a kind whose objects define kinds. The name of the object is the name of the kind.
func recipe() *kind.Kind {
	k := typed.Workload[recipeSpec]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Recipe"}, Validate: func(*recipeSpec, *kind.Report) {}}.Kind()
	k.Expand = nil
	k.Define = func(documents []*manifest.Object, _ []*kind.Kind, stop func() error) (made []*kind.Kind, problems []manifest.Problem) {
		for _, obj := range documents {
			d, wrong := k.Decode(obj)
			if len(wrong) > 0 {
				problems = append(problems, manifest.Problem{Origin: obj.Origin, Key: obj.Key, Field: "spec", What: "is no recipe"})
				continue
			}
			made = append(made, cooked(obj.Key.Name, d.Spec.(*recipeSpec)))
		}
		return made, problems
	}
	return k
}

func cooked(name string, s *recipeSpec) *kind.Kind {
	made := asker(func(e *kind.Expansion) {
		for i, part := range s.Parts {
			of, name, _ := strings.Cut(part, " ")
			if strings.HasPrefix(name, "-") {
				name = e.Key.Name + name
			}
			spec := map[string]any{"resource": map[string]any{}}
			if of != "Thing" {
				spec = map[string]any{}
			}
			if of == "Crowd" {
				spec["count"] = 1
			}
			m := kind.Manifest{Kind: of, Name: name, ID: string(rune('a' + i)), Body: map[string]any{"spec": spec},
				Template: func(field string) manifest.Origin { return manifest.Origin{File: "recipe.yaml", Line: 7} }}
			if s.Ignore != "" {
				m.Annotations = map[string]string{resolve.AnnotationIgnore: s.Ignore, resolve.AnnotationLoss: "refuse"}
			}
			e.Manifest(m)
		}
		if s.Shows != "" {
			e.External("Thing", s.Shows, "shown", nil)
		}
	})
	made.Info.Kind = strings.ToUpper(name[:1]) + name[1:]
	return made
}

// A revision uses the kinds that it defines itself, no matter where their definitions are.
func TestKindsOfARevision(t *testing.T) {
	reading, err := read(resolve.Reader{Kinds: kinds(recipe())}, "Cake c", "Thing net", `Recipe cake {parts: ["Thing -top", "Icing -icing"], shows: net}`, `Recipe icing {parts: ["Thing -sugar"]}`, "Box b {lid: c-icing-sugar}")
	if err != nil || names(reading.Want) != "Cake/c Thing/net Recipe/cake Recipe/icing Thing/c-icing-sugar Box/b Thing/c-top Icing/c-icing" && len(reading.Want) != 8 {
		t.Fatalf("%s, %v", names(reading.Want), err)
	}
	if len(reading.Defined) != 2 || reading.Defined[0].Info.Kind != "Cake" {
		t.Errorf("%d kinds are defined", len(reading.Defined))
	}
	cake, top, icing, b := object(t, reading.Want, "Cake/c"), object(t, reading.Want, "Thing/c-top"), object(t, reading.Want, "Icing/c-icing"), object(t, reading.Want, "Box/b")
	if cake.Defined() != reading.Defined[0] || top.Defined() != nil || icing.Defined() != reading.Defined[1] || b.Definition != nil {
		t.Error("the kinds are others")
	}
	if top.Definition.ID != "a" || top.Definition.Place != 0 || icing.Definition.ID != "b" || icing.Definition.Place != 1 || cake.Definition.ID != "" {
		t.Errorf("%+v, %+v", top.Definition, icing.Definition)
	}
	if external := cake.Definition.External; len(external) != 1 || external["shown"].Name != "net" || icing.Definition.External != nil {
		t.Errorf("shown: %v", external)
	}
}

// The parts of objects of defined kinds count as declared, so workloads can see them. The parts that workloads make do not count as
// declared.
func TestDeclaredByDefinitions(t *testing.T) {
	var declared []string
	ask := asker(func(e *kind.Expansion) { declared = e.Declared("Thing") }, "Thing")
	if _, err := read(resolve.Reader{Kinds: kinds(recipe(), ask)}, "Asker q", "Crowd c {count: 1}", `Recipe cake {parts: ["Thing -top", "Crowd -crowd"]}`, "Cake c", "Thing a"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(declared, []string{"a", "c-top"}) {
		t.Errorf("declared: %q", declared)
	}
}

// Annotations of an object take precedence over those of the template of its parts. If they are lists of fields, both lists apply.
func TestAnnotationsOfTemplates(t *testing.T) {
	const defined = `Recipe cake {parts: ["Thing -top"], ignore: spec.resource.colour}`
	for annotations, want := range map[string]string{
		"":                                  "ignore=spec.resource.colour loss=false",
		"data-loss=allow":                   "ignore=spec.resource.colour loss=true",
		"ignore-fields=spec.resource.shape": "ignore=spec.resource.colour ignore=spec.resource.shape loss=false",
	} {
		reading, err := read(resolve.Reader{Kinds: kinds(recipe())}, defined, "Cake c {} | "+annotations)
		if err != nil {
			t.Fatal(err)
		}
		if got := optionsText(object(t, reading.Want, "Thing/c-top")); got != want {
			t.Errorf("%q: %q, want %q", annotations, got, want)
		}
	}
}

// Mistakes in definitions are reported together with all others. An object that a broken definition may have made is not reported as
// missing.
func TestMistakesOfDefinitions(t *testing.T) {
	r := resolve.Reader{Kinds: kinds(recipe())}
	refused(t, r, map[string]refusal{
		"no recipe":                    {[]string{"Recipe cake {parts: 7}", "Box b {lid: x}"}, []string{"Recipe/cake spec", "Recipe/cake spec.parts"}, ""},
		"no definition of a kind":      {[]string{"Cake c"}, []string{"Cake/c kind"}, "its Recipe in"},
		"a part is there already":      {[]string{`Recipe cake {parts: ["Thing a"]}`, "Cake c", "Thing a"}, []string{"Thing/a"}, ""},
		"it shows what is not there":   {[]string{"Recipe cake {shows: web-nte}", "Cake c", "Thing web-net"}, []string{"Cake/c"}, "web-net"},
		"an object of it is broken":    {[]string{`Recipe cake {parts: ["Thing -top"]}`, "Cake c {} | drift=maybe", "Box b {lid: c-top}"}, []string{"Cake/c metadata.annotations[stackreeve.dev/drift]"}, ""},
		"a field that no part has":     {[]string{`Recipe cake {parts: ["Thing -top"]}`, "Cake c {} | ignore-fields=spec.resource.lid"}, []string{"Cake/c metadata.annotations[stackreeve.dev/ignore-fields]"}, ""},
		"the same part of two objects": {[]string{`Recipe cake {parts: ["Thing same"]}`, "Cake c", "Cake d"}, []string{"Thing/same"}, ""},
	})
	r.Missing = true
	refused(t, r, map[string]refusal{"it shows what others make": {[]string{"Recipe cake {shows: net}", "Cake c"}, nil, ""}})
	_, err := read(r, `Recipe cake {parts: ["Box -box"]}`, "Cake c {} | drift=maybe suspend=maybe", `Recipe pie {parts: ["Crowd -crowd"]}`)
	for _, p := range problemsOf(t, err) {
		if strings.Contains(p.What, "recipe.yaml") {
			t.Errorf("a mistake of the object is one of the template: %s", p)
		}
	}
	_, err = read(r, `Recipe cake {parts: ["Crowd -crowd"], ignore: spec.resource.colour}`, "Cake c {} | moved-from=Cake/d", "Crowd d-crowd {}")
	if p := problemsOf(t, err); len(p) != 1 || !strings.Contains(p[0].What, "recipe.yaml:7") {
		t.Errorf("the place in the template is not told: %v", err)
	}
}

// The kinds that folders and files define can be read alone. Then other mistakes are not reported.
func TestKindsOfFoldersAndFiles(t *testing.T) {
	r := resolve.Reader{Kinds: kinds(recipe())}
	folder := fstest.MapFS{"a.yaml": {Data: []byte(manifests("Recipe cake", "Thing a {nothing: x}", "Unknown u"))}}
	file := manifest.Part{Name: "b.yaml", Text: strings.NewReader(manifests("Recipe pie", "Pie p"))}
	defined, err := r.Defined(t.Context(), []manifest.Part{{Name: "x", Files: folder}, file})
	if err != nil || len(defined) != 2 {
		t.Errorf("%d kinds, %v", len(defined), err)
	}
	if _, err := r.Defined(t.Context(), []manifest.Part{{Files: fstest.MapFS{"a.yaml": {Data: []byte(manifests("Recipe cake {parts: 7}"))}}}}); len(problemsOf(t, err)) != 1 {
		t.Errorf("a mistake: %v", err)
	}
	if defined, err := (resolve.Reader{Kinds: kinds()}).Defined(t.Context(), []manifest.Part{{Files: folder}}); err != nil || defined != nil {
		t.Errorf("without a kind of definitions: %v, %v", defined, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Defined(ctx, []manifest.Part{{Files: folder}}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	text := manifest.Part{Name: "b.yaml", Text: strings.NewReader(manifests("Recipe pie {parts: [\"Thing -top\"]}", "Pie p"))}
	if reading, err := r.ReadParts(t.Context(), []manifest.Part{text}); err != nil || len(reading.Want) != 3 {
		t.Errorf("a file that defines: %s, %v", names(reading.Want), err)
	}
}

// A library defines kinds. Its objects do not belong to the stack, but they must be readable.
func TestLibraries(t *testing.T) {
	with := func(docs ...string) resolve.Reader {
		return resolve.Reader{Kinds: kinds(recipe()), Libraries: []manifest.Part{{Name: "library", Files: fstest.MapFS{"l.yaml": {Data: []byte(manifests(docs...))}}}}}
	}
	reading, err := read(with(`Recipe cake {parts: ["Thing -top"]}`, "Cake example", "Thing a"), "Cake c", "Thing a")
	if err != nil || len(reading.Want) != 3 {
		t.Errorf("%s, %v", names(reading.Want), err)
	}
	refused(t, with("Recipe cake {parts: 7}"), map[string]refusal{"a mistake in a recipe": {[]string{"Thing a"}, []string{"Recipe/cake spec", "Recipe/cake spec.parts"}, ""}})
	refused(t, with("Recipe cake", "Unknown u"), map[string]refusal{"beside a mistake of the stack": {[]string{"Thing a {shape: spiky}"}, []string{"Thing/a spec.resource.shape", "Unknown/u kind"}, ""}})
	refused(t, with("Recipe cake", "Unknown u"), map[string]refusal{"an unknown kind in a group that is known": {[]string{"Thing a"}, []string{"Unknown/u kind"}, ""}})
	refused(t, with("Recipe cake", "Thing a", "Thing a"), map[string]refusal{"twice the same object": {[]string{"Thing a"}, []string{"Thing/a"}, ""}})
}
