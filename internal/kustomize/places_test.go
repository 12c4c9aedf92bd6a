package kustomize

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// found compiles files, replaces each document by a result, and returns the places of its lines and the comparisons.
func found(t *testing.T, files map[string]string, most int, result func(text string) string) (places [][]manifest.Origin, comparisons int) {
	t.Helper()
	tree := Tree{Files: fstest.MapFS{}, Root: "."}
	for name, text := range files {
		tree.Files.(fstest.MapFS)[name] = &fstest.MapFile{Data: []byte(text)}
	}
	input, sources, err := compile(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(t.Context(), sources, most)
	for i := range len(input.Files) {
		name := fmt.Sprintf("/file-%d-of-stack.yaml", i)
		if text, ok := input.Files[name]; ok {
			built, problem := s.built(Document{Text: []byte(result(string(text))), From: name})
			if problem != nil {
				t.Fatal(problem)
			}
			places = append(places, built.Places)
		}
	}
	return places, most - s.left
}

const many = 60

// large has many documents with many labels, and for each a patch and a replacement.
func large() map[string]string {
	files := map[string]string{}
	var kustomization, documents strings.Builder
	kustomization.WriteString("resources: [a.yaml]\npatches:\n")
	for i := range many {
		fmt.Fprintf(&kustomization, "- {target: {kind: A, name: n%d}, patch: 'spec: {a: patched}'}\n", i)
		fmt.Fprintf(&documents, "---\napiVersion: v1\nkind: A\nmetadata:\n  name: n%d\n  labels:\n", i)
		for j := range 50 {
			fmt.Fprintf(&documents, "    l%d: old\n", j)
		}
		documents.WriteString("spec:\n  a: old\n  b: old\n  c: [old]\n")
	}
	kustomization.WriteString("replacements:\n")
	for i := range 20 {
		kustomization.WriteString("- sourceValue: new\n  targets:\n  - select: {kind: A}\n    fieldPaths:\n    - spec.c.*\n    - spec.b\n")
		for j := range 98 {
			fmt.Fprintf(&kustomization, "    - metadata.annotations.p%d-%d\n", i, j)
		}
	}
	files["kustomization.yaml"], files["a.yaml"] = kustomization.String(), documents.String()
	return files
}

func changed(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "a: old", "a: patched"), "b: old", "b: new")
	return strings.ReplaceAll(text, "[old]", "[new]")
}

// TestComparisons checks that the comparisons grow with the values, and not with values times paths or documents times patches.
func TestComparisons(t *testing.T) {
	places, comparisons := found(t, large(), maxComparisons, changed)
	values := 0
	for i, lines := range places {
		values += len(lines)
		last := lines[len(lines)-4:]
		for j, want := range []manifest.Origin{{File: "kustomization.yaml", Line: 4 + i}, {File: "kustomization.yaml", Line: 4 + many},
			{File: "kustomization.yaml", Line: 4 + many}} {
			if last[j] != want {
				t.Fatalf("document %d, value %d: got %v, want %v", i, j, last[j], want)
			}
		}
	}
	if len(places) != many || comparisons > 20*values {
		t.Errorf("%d comparisons for %d lines of %d documents", comparisons, values, len(places))
	}
}

// TestExhausted ends the search after a few comparisons. All later values then have the place of their resource.
func TestExhausted(t *testing.T) {
	exact, comparisons := found(t, large(), maxComparisons, changed)
	for _, most := range []int{0, 1, 100, comparisons / 2, comparisons - 1} {
		places, spent := found(t, large(), most, changed)
		if spent > most {
			t.Errorf("spent %d of %d comparisons", spent, most)
		}
		for i, lines := range places {
			resource := lines[0]
			for j, at := range lines {
				if at != exact[i][j] && at != resource {
					t.Fatalf("at most %d: line %d of document %d: got %v, want %v or %v", most, j, i, at, exact[i][j], resource)
				}
			}
		}
		if last := places[many-1]; last[len(last)-2] != last[0] {
			t.Errorf("at most %d: the last value has the place %v", most, last[len(last)-2])
		}
	}
}

// TestSelectors compiles each expression once, and charges its repetitions.
func TestSelectors(t *testing.T) {
	files := large()
	files["kustomization.yaml"] = "resources: [a.yaml]\npatches:\n" + strings.Repeat("- {target: {kind: A, name: 'n[0-9]{1,4}'}, patch: 'spec: {a: patched}'}\n", 500)
	places, _ := found(t, files, maxComparisons, changed)
	if at := places[many-1][len(places[many-1])-4]; at != (manifest.Origin{File: "kustomization.yaml", Line: 503}) {
		t.Errorf("got %v, want the last patch", at)
	}
	files["kustomization.yaml"] = "resources: [a.yaml]\npatches:\n- {target: {kind: A, name: 'n(" + strings.Repeat("[0-9]?", 30) + "){1000}'}, patch: 'spec: {a: patched}'}\n"
	if _, comparisons := found(t, files, maxComparisons, changed); comparisons < 30*1000*100 {
		t.Errorf("only %d comparisons", comparisons)
	}
}

// TestNegative has a field -1 where the resource has a list.
func TestNegative(t *testing.T) {
	files := map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: [a]\n"}
	places, _ := found(t, files, maxComparisons, func(string) string {
		return "apiVersion: v1\nkind: A\nmetadata:\n  name: a\nspec:\n  \"-1\": a\n"
	})
	if at := places[0][5]; at.Line != 4 {
		t.Errorf("got %v", at)
	}
}

// TestEnded ends the context while kustomize runs.
func TestEnded(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	files := fstest.MapFS{"kustomization.yaml": {Data: []byte("resources: [a.yaml]\n")}, "a.yaml": {Data: []byte("apiVersion: v1\nkind: A\nmetadata: {name: a}\n")}}
	_, err := Load(ctx, Tree{Files: files, Root: "."}, func(_ context.Context, in Input) (out Output, err error) {
		stop()
		for name, text := range in.Files {
			if strings.HasPrefix(name, "/file-") {
				out.Documents = append(out.Documents, Document{Text: text, From: name})
			}
		}
		return out, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
