package kustomize

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// FuzzCompile checks that kustomize never sees a path or the name of a file of the repository.
func FuzzCompile(f *testing.F) {
	const resource = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, text := range []string{
		"resources: [a.yaml, ../base]\nnamePrefix: x-\n", "components: [../base]\n", "patches: [{path: a.yaml}, {patch: 'a: b', target: {kind: A}}]\n",
		"configMapGenerator: [{name: a, files: [a.yaml, k=a.yaml], envs: [a.yaml], env: a.yaml, literals: [a=b]}]\n", "resources: [https://example.com/a.yaml]\n",
		"resources: [../../a]\n", "resources: [&a a.yaml, *a]\n", "helmCharts: [{name: a}]\n", "replacements: [{source: {kind: A, fieldPath: a.b}, targets: [{select: {kind: B}, fieldPaths: [a.b]}]}]\n",
		"resources: [.]\n", "{resources: [a.yaml]}", "", "---\n---\n", "resources: [{a: b}]\n", "configurations: [a.yaml]\nbuildMetadata: [x]\n",
	} {
		f.Add(text, resource)
	}
	for _, name := range []string{"secret.yaml", "documents.yaml", "comments.yaml"} {
		text, err := os.ReadFile("../sops/testdata/real/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add("resources: [a.yaml, ../base]\npatches: [{path: a.yaml}]\nconfigMapGenerator: [{name: a, files: [a.yaml]}]\n", string(text))
		f.Add("resources: [a.yaml, ../base/a.yaml]\npatches: [{path: a.yaml}]\n", string(text))
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		files := fstest.MapFS{"prod/kustomization.yaml": {Data: []byte(text)}, "prod/a.yaml": {Data: []byte(other)},
			"base/kustomization.yaml": {Data: []byte(other)}, "base/a.yaml": {Data: []byte(other)}}
		input, _, err := compile(t.Context(), Tree{Files: files, Root: "prod"})
		if err != nil {
			if input.Files != nil {
				t.Error("there are problems, and files for kustomize")
			}
			return
		}
		for name, text := range input.Files {
			if !regexp.MustCompile(`^/(folder-\d+-of-stack/kustomization\.yaml|file-\d+-of-stack\.yaml|references\.yaml)$`).MatchString(name) {
				t.Errorf("a file is called %q", name)
			}
			if strings.Contains(string(text), "ENC[AES256_GCM,data:") && strings.Contains(other, "mac: ENC[") && !strings.Contains(string(text), "#ENC[") {
				t.Errorf("kustomize sees an encrypted value in %q", text)
			}
			if strings.HasSuffix(name, "/kustomization.yaml") {
				checkPaths(t, text)
			}
		}
	})
}

func checkPaths(t *testing.T, text []byte) {
	t.Helper()
	var k Kustomization
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&k); err != nil {
		t.Fatal(err)
	}
	paths := slices.Concat(k.Resources, k.Components, k.Configurations)
	for _, p := range k.Patches {
		if p.Path != "" {
			t.Errorf("a patch has the path %q", p.Path)
		}
	}
	for _, g := range k.ConfigMapGenerator {
		paths = append(paths, g.Envs...)
		for _, file := range g.Files {
			_, path, _ := strings.Cut(file, "=")
			paths = append(paths, path)
		}
		if g.Env != "" {
			paths = append(paths, g.Env)
		}
	}
	for _, path := range paths {
		if !regexp.MustCompile(`^\.\./(folder-\d+-of-stack|file-\d+-of-stack\.yaml|references\.yaml)$`).MatchString(path) {
			t.Errorf("kustomize would see the path %q", path)
		}
	}
}
