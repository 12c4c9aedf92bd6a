package child

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// FuzzBuild builds small folders. A result has a place for each of its lines, in a file of the folder.
func FuzzBuild(f *testing.F) {
	const resource = "apiVersion: a.example/v1\nkind: Network\nmetadata: {name: a}\nspec: {a: [1, {b: c}], d: e}\n"
	for _, text := range []string{
		"resources: [a.yaml]\nnamePrefix: x-\nlabels: [{pairs: {a: b}}]\nnamespace: n\n",
		"resources: [a.yaml]\npatches: [{patch: '[{op: add, path: /spec/a/-, value: {f: g}}]', target: {kind: Network}}]\n",
		"resources: [a.yaml]\npatches: [{patch: '{apiVersion: a.example/v1, kind: Network, metadata: {name: a}, spec: {d: null, h: i}}'}]\n",
		"resources: [a.yaml]\nconfigMapGenerator: [{name: c, literals: [a=b], files: [a.yaml]}]\n",
		"resources: [a.yaml]\nreplacements: [{source: {kind: Network, fieldPath: spec.d}, targets: [{select: {kind: Network}, fieldPaths: [spec.x], options: {create: true}}]}]\n",
	} {
		f.Add(text, resource)
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		if len(text)+len(other) > 4<<10 {
			return
		}
		files := fstest.MapFS{"kustomization.yaml": {Data: []byte(text)}, "a.yaml": {Data: []byte(other)}}
		made, err := kustomize.Load(t.Context(), kustomize.Tree{Files: files, Name: "repo"}, func(_ context.Context, in kustomize.Input) (kustomize.Output, error) { return build(in), nil })
		var problems manifest.Problems
		if err != nil && !errors.As(err, &problems) {
			t.Fatal(err)
		}
		for _, b := range made.Built {
			if lines := bytes.Count(b.Text, []byte("\n")); len(b.Places) < lines {
				t.Errorf("%d lines have %d places", lines, len(b.Places))
			}
			for _, at := range b.Places {
				if at.File != "repo/a.yaml" && at.File != "repo/kustomization.yaml" {
					t.Errorf("a line is at %v", at)
				}
			}
		}
	})
}
