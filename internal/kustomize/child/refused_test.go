package child

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// faults are kustomizations that cannot be built.
func faults() map[string]map[string]string {
	const thing, network = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {a: b}\n", "apiVersion: example.com/v1\nkind: Network\nmetadata: {name: a}\n"
	one := func(kustomization string) map[string]string {
		return map[string]string{"kustomization.yaml": kustomization, "a.yaml": thing}
	}
	return map[string]map[string]string{
		"empty":                      one(""),
		"empty base":                 {"kustomization.yaml": "resources: [base]\n", "base/kustomization.yaml": "---\n"},
		"only a comment":             one("# nothing\n"),
		"apiVersion":                 one("apiVersion: kustomize.config.k8s.io/v2\nkind: Kustomization\nresources: [a.yaml]\n"),
		"kind":                       one("kind: Kustomisation\nresources: [a.yaml]\n"),
		"unknown field":              one("resource: [a.yaml]\n"),
		"missing file":               one("resources: [b.yaml]\n"),
		"object twice":               one("resources: [a.yaml, a.yaml]\n"),
		"names become equal":         {"kustomization.yaml": "resources: [x, y]\n", "x/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: a\n", "x/a.yaml": strings.ReplaceAll(thing, "name: a", "name: aa"), "y/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: aa\n", "y/a.yaml": thing},
		"no name":                    {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "apiVersion: example.com/v1\nkind: Thing\n"},
		"component as a resource":    {"kustomization.yaml": "resources: [part]\n", "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [a.yaml]\n", "part/a.yaml": thing},
		"folder as a component":      {"kustomization.yaml": "components: [part]\n", "part/kustomization.yaml": "resources: [a.yaml]\n", "part/a.yaml": thing},
		"file as a component":        one("components: [a.yaml]\n"),
		"circle":                     {"kustomization.yaml": "resources: [x]\n", "x/kustomization.yaml": "resources: [../y]\n", "y/kustomization.yaml": "resources: [../x]\n"},
		"patch of nothing":           one("resources: [a.yaml]\npatches: [{patch: '{\"apiVersion\": \"example.com/v1\", \"kind\": \"Thing\", \"metadata\": {\"name\": \"b\"}}'}]\n"),
		"patch without a path":       one("resources: [a.yaml]\npatches: [{patch: '[{\"op\": \"remove\", \"path\": \"/spec/b\"}]', target: {kind: Thing}}]\n"),
		"patch of a version":         one("resources: [a.yaml]\npatches: [{patch: '[{\"op\": \"test\", \"path\": \"/spec/a\", \"value\": \"c\"}]', target: {kind: Thing}}]\n"),
		"no patch":                   one("resources: [a.yaml]\npatches: [{target: {kind: Thing}}]\n"),
		"two patches in one":         one("resources: [a.yaml]\npatches: [{path: a.yaml, patch: 'a: b'}]\n"),
		"json patch without target":  one("resources: [a.yaml]\npatches: [{patch: '[{\"op\": \"remove\", \"path\": \"/spec/a\"}]'}]\n"),
		"expression":                 one("resources: [a.yaml]\npatches: [{patch: '[{\"op\": \"remove\", \"path\": \"/spec/a\"}]', target: {kind: 'Thing('}}]\n"),
		"selector of labels":         one("resources: [a.yaml]\npatches: [{patch: '[{\"op\": \"remove\", \"path\": \"/spec/a\"}]', target: {labelSelector: 'a in ('}}]\n"),
		"merge of no generator":      one("configMapGenerator: [{name: a, behavior: merge, literals: [a=b]}]\n"),
		"generator twice":            one("configMapGenerator: [{name: a, literals: [a=b]}, {name: a, literals: [a=b]}]\n"),
		"generator without a name":   one("configMapGenerator: [{literals: [a=b]}]\n"),
		"key twice":                  one("configMapGenerator: [{name: a, literals: [a=b, a=c]}]\n"),
		"key that is a number":       one("configMapGenerator: [{name: a, literals: [1=c]}]\n"),
		"literal without a value":    one("configMapGenerator: [{name: a, literals: [a]}]\n"),
		"replacement of nothing":     one("resources: [a.yaml]\nreplacements: [{source: {kind: Network}, targets: [{select: {kind: Thing}, fieldPaths: [spec.a]}]}]\n"),
		"replacement without a path": one("resources: [a.yaml]\nreplacements: [{source: {kind: Thing}, targets: [{select: {kind: Thing}, fieldPaths: [spec.b]}]}]\n"),
		"no target":                  one("resources: [a.yaml]\nreplacements: [{source: {kind: Thing}, targets: [{fieldPaths: [spec.b]}]}]\n"),
		"several sources":            {"kustomization.yaml": "resources: [a.yaml, b.yaml]\nreplacements: [{source: {name: a}, targets: [{select: {kind: Thing}, fieldPaths: [spec.a]}]}]\n", "a.yaml": thing, "b.yaml": network},
		"labels without pairs":       one("resources: [a.yaml]\nlabels: [{pairs: [a]}]\n"),
	}
}

// TestRealKustomizeRefuses tries faulty kustomizations on both.
func TestRealKustomizeRefuses(t *testing.T) {
	needsKustomize(t)
	for name, files := range faults() {
		t.Run(name, func(t *testing.T) {
			s := sample{root: ".", files: files}
			if made, err := s.real(t); err == nil {
				t.Errorf("the real one makes %q", made)
			}
			if made, err := s.ours(t); err == nil {
				t.Errorf("ours makes %q", made)
			}
		})
	}
}

// TestEmptied wants an explicit empty list where nothing is left, so that an emptied file deletes nothing.
func TestEmptied(t *testing.T) {
	const head, patch = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: a}\n", "patches: [{target: {kind: Network}, patch: '[{\"op\": \"remove\", \"path\": \"/spec\"}]'}]\n"
	for text, line := range map[string]int{"resources: []\n": 0, "resources: []\nnamePrefix: a-\n" + patch: 0, "resources: [empty]\n": 0, "components: [words]\n": 0,
		"configMapGenerator: [{name: a, literals: [a=b]}]\n": 0, "": -1, "# nothing\n": -1, head: -1,
		"# a stack\nnamePrefix: a-\n": 2, "resources:\nnamePrefix: a-\n": 1, head + patch: 1, "components: [patches]\n": 1, "resources: []\ncomponents: [patches]\n": 0} {
		_, err := sample{root: ".", files: map[string]string{"kustomization.yaml": text, "empty/kustomization.yaml": "resources: []\n",
			"patches/kustomization.yaml": "kind: Component\n" + patch, "words/kustomization.yaml": "kind: Component\nconfigMapGenerator: [{name: a, literals: [a=b]}]\n"}}.ours(t)
		var problems manifest.Problems
		switch {
		case line == 0 && err != nil, line != 0 && !errors.As(err, &problems):
			t.Errorf("%q: got %v", text, err)
		case line > 0 && (problems[0].Origin.Line != line || problems[0].Field != "resources"):
			t.Errorf("%q: got %v, want the line %d", text, problems, line)
		}
	}
}

// TestEmptiedBase names the kustomization that makes nothing, and not the one that uses it.
func TestEmptiedBase(t *testing.T) {
	_, err := sample{root: ".", files: map[string]string{"kustomization.yaml": "resources: [base]\n", "base/kustomization.yaml": "\nnamePrefix: a-\n"}}.ours(t)
	var problems manifest.Problems
	if !errors.As(err, &problems) || problems[0].Origin.File != "base/kustomization.yaml" || problems[0].Origin.Line != 2 {
		t.Errorf("got %v", err)
	}
}

// TestSamplesHaveAllFields wants each field of a kustomization in a sample.
func TestSamplesHaveAllFields(t *testing.T) {
	missing := map[string]bool{}
	fieldsOf(reflect.TypeFor[kustomize.Kustomization](), "", missing)
	for _, own := range []string{".buildMetadata", ".configurations"} { // only the package itself writes these
		delete(missing, own)
	}
	for _, s := range samples(t) {
		for name, text := range s.files {
			if !strings.Contains(strings.ToLower(name), "kustomization") {
				continue
			}
			var k any
			if err := yaml.Unmarshal([]byte(text), &k); err != nil {
				t.Fatal(err)
			}
			used(k, "", missing)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no sample has %v", slices.Sorted(maps.Keys(missing)))
	}
}

func fieldsOf(of reflect.Type, path string, into map[string]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return
	}
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		into[path+"."+name] = true
		fieldsOf(of.Field(i).Type, path+"."+name, into)
	}
}

func used(value any, path string, missing map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			delete(missing, path+"."+key)
			used(below, path+"."+key, missing)
		}
	case []any:
		for _, one := range v {
			used(one, path, missing)
		}
	}
}
