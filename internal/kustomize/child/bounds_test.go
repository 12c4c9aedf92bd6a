package child_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/kustomize/child"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// bombs are small folders that would become large.
func bombs() map[string]map[string]string {
	doubling := map[string]string{"kustomization.yaml": "resources: [d0]\n", "d19/kustomization.yaml": "resources: [web.yaml]\n", "d19/web.yaml": network}
	for i := range 19 {
		doubling[fmt.Sprintf("d%d/kustomization.yaml", i)] = fmt.Sprintf("resources: [../d%d, ../d%d]\n", i+1, i+1)
	}
	deep := map[string]string{}
	for i := range 25 {
		deep[strings.Repeat("a/", i)+"kustomization.yaml"] = "resources: [a]\n"
	}
	aliases := "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		aliases += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	steps := strings.TrimSuffix(strings.Repeat("*.", 100), ".")
	literals := "configMapGenerator:\n- name: a\n  literals:\n" + strings.Repeat("  - a=b\n", 1001)
	many := "configMapGenerator:\n" + strings.Repeat("- {name: a, literals: [a=b]}\n", 501)
	return map[string]map[string]string{
		"doubling":                 doubling,
		"deep":                     deep,
		"circle":                   {"kustomization.yaml": "resources: [a]\n", "a/kustomization.yaml": "resources: [../]\n"},
		"aliases in a resource":    {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": network + aliases},
		"aliases in a patch":       {"kustomization.yaml": "resources: [a.yaml]\npatches: [{path: b.yaml}]\n", "a.yaml": network, "b.yaml": network + aliases},
		"aliases":                  {"kustomization.yaml": "resources: [a.yaml]\n" + aliases, "a.yaml": network},
		"long field path":          {"kustomization.yaml": "resources: [a.yaml]\nreplacements: [{sourceValue: a, targets: [{select: {kind: Network}, fieldPaths: ['" + steps + "']}]}]\n", "a.yaml": network},
		"many literals":            {"kustomization.yaml": literals},
		"many generators":          {"kustomization.yaml": many},
		"large file":               {"kustomization.yaml": "configMapGenerator: [{name: a, files: [a.txt]}]\n", "a.txt": strings.Repeat("a", 4<<20+1)},
		"empty resource":           {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "# nothing\n"},
		"encrypted resource":       {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": network + "sops: {version: 3.9.0}\n"},
		"no kustomization":         {"a.yaml": network},
		"two kustomizations":       {"kustomization.yaml": "resources: [a.yaml]\n", "kustomization.yml": "resources: [a.yaml]\n", "a.yaml": network},
		"a field twice":            {"kustomization.yaml": "resources: [a.yaml]\nresources: [a.yaml]\n", "a.yaml": network},
		"same object twice":        {"kustomization.yaml": "resources: [a.yaml, b.yaml]\n", "a.yaml": network, "b.yaml": network},
		"patch of nothing":         {"kustomization.yaml": "resources: [a.yaml]\npatches: [{path: b.yaml}]\n", "a.yaml": network, "b.yaml": strings.ReplaceAll(network, "name: web", "name: other")},
		"own annotations of tools": {"kustomization.yaml": "resources: [a.yaml]\npatches: [{patch: '[{op: nonsense}]', target: {kind: Network}}]\n", "a.yaml": network},
	}
}

// TestBounds refuses folders that exceed a limit or cannot be built, with a file.
func TestBounds(t *testing.T) {
	for name, files := range bombs() {
		t.Run(name, func(t *testing.T) {
			_, err := kustomize.Load(t.Context(), tree(".", files), new(child.Runner).Build)
			var problems manifest.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("got %v, want problems", err)
			}
			if at := problems[0].Origin; !strings.HasPrefix(at.File, "clouds") || strings.Contains(err.Error(), "of-stack") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestMemory lets patches copy a value again and again. The process exceeds its memory and ends, and this one does not.
func TestMemory(t *testing.T) {
	testcost.Long(t)
	var patch strings.Builder
	for i := range 40 {
		fmt.Fprintf(&patch, "- {op: copy, from: /spec, path: /spec/c%d}\n", i)
	}
	_, err := kustomize.Load(t.Context(), tree(".", map[string]string{"kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.yaml, target: {kind: Network}}]\n", "a.yaml": network, "p.yaml": patch.String()}),
		new(child.Runner).Build)
	if err == nil {
		t.Error("the process made something of it")
	}
	t.Log(err)
}
