package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

const thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {a: b} # sops is not used\n"

func treeOf(files map[string]string) (t Tree, size int64) {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
		size += int64(len(text))
	}
	return Tree{Files: all, Root: "."}, size
}

// repeated names the file a.yaml many times, in many folders.
func repeated(kustomization, text string) map[string]string {
	files := map[string]string{"a.yaml": text}
	var root strings.Builder
	root.WriteString("resources:\n")
	for i := range 20 {
		fmt.Fprintf(&root, "- f%d\n", i)
		files[fmt.Sprintf("f%d/kustomization.yaml", i)] = kustomization
	}
	files["kustomization.yaml"] = root.String()
	return files
}

func list(entry string, times int) string {
	return "[" + strings.Repeat(entry+", ", times) + entry + "]\n"
}

// TestParsedOnce wants every file parsed at most once for its documents and once for a generator, however often it is named.
func TestParsedOnce(t *testing.T) {
	generators := "configMapGenerator: [{name: a, files: " + strings.TrimSpace(list("../a.yaml", 50)) + ", envs: " + strings.TrimSpace(list("../a.yaml", 50)) + "}]\n"
	resources, patches := "resources: "+list("../a.yaml", 50), "patches: "+list("{path: ../a.yaml}", 50)
	for name, c := range map[string]struct {
		kustomization, text string
		times               int64 // that the file is parsed
		problems            int   // with the file
	}{
		"resource":                {resources, thing, 1, 0},
		"patch":                   {"resources: []\n" + patches, thing, 1, 0},
		"generator":               {generators, thing, 1, 0},
		"all of them":             {resources + patches + generators, thing, 2, 0},
		"no YAML":                 {resources + patches, thing + "a: [\n", 1, 1},
		"no YAML, for generators": {generators, thing + "a: [\n", 1, 0},
		"no resource":             {resources, "a: b\n", 1, 1},
		"empty":                   {resources, "# nothing\n", 1, 1},
		"large":                   {resources + patches + generators, strings.Repeat("#", maxFileBytes+1), 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			files := repeated(c.kustomization, c.text)
			tree, size := treeOf(files)
			compiler := newCompiler(t.Context(), tree)
			_, _, err := compiler.compile()
			var problems manifest.Problems
			errors.As(err, &problems)
			count := 0
			for _, p := range problems {
				if p.Origin.File == "a.yaml" {
					count++
				}
			}
			if count != c.problems || (err == nil) != (c.problems == 0) {
				t.Errorf("got %d problems with the file: %v", count, err)
			}
			if want := size + (c.times-1)*int64(len(c.text)); compiler.parsed != want {
				t.Errorf("parsed %d bytes, want %d", compiler.parsed, want)
			}
		})
	}
}

// TestStops ends at the first limit, with one problem, whatever kustomizations name after it.
func TestStops(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	alias := "kind: Kustomization\npatches:\n- patch: &a |\n    a: b\n    #" + strings.Repeat("#", 1000) + "\n" + strings.Repeat("- patch: *a\n", 400)
	for name, c := range map[string]struct {
		files  map[string]string
		parsed int64 // the limit, if it is another than usual
	}{
		"generator":      {repeated("configMapGenerator: [{name: a, files: "+strings.TrimSpace(list("../a.yaml", 999))+"}]\n", big), 0},
		"empty files":    {repeated("configMapGenerator:\n"+strings.Repeat("- {name: a, files: &a "+strings.TrimSpace(list("../a.yaml", 999))+"}\n", 90), ""), 0},
		"documents":      {repeated("resources: "+list("../a.yaml", 1998), thing), 0},
		"patch":          {repeated("resources: []\npatches: "+list("{path: ../a.yaml}", 499), "a: "+big), 0},
		"aliased patch":  {map[string]string{"kustomization.yaml": alias}, 100_000},
		"large, aliased": {map[string]string{"kustomization.yaml": "configMapGenerator: [{name: a, literals: [&a \"b=" + strings.Repeat("x", maxAliased) + "\", *a]}]\n"}, 0},
		"many, aliased":  {repeated("configMapGenerator: [{name: a, literals: [&a \"b="+strings.Repeat("x", maxAliased/2)+"\""+strings.Repeat(", *a", 900)+"]}]\n", ""), 0},
		"bytes of files": {map[string]string{"kustomization.yaml": "resources: [a.yaml, b.yaml, c.yaml, d.yaml, e.yaml]\n", "a.yaml": ofSize(thing), "b.yaml": ofSize(thing), "c.yaml": ofSize(thing), "d.yaml": ofSize(thing), "e.yaml": ofSize(thing)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tree, size := treeOf(c.files)
			compiler := newCompiler(t.Context(), tree)
			if c.parsed > 0 {
				compiler.mostParsed = c.parsed
			}
			_, _, err := compiler.compile()
			var problems manifest.Problems
			if !errors.As(err, &problems) || len(problems) != 1 {
				t.Fatalf("got %d problems: %v", len(problems), err)
			}
			if most := max(2*size, c.parsed); compiler.parsed > most {
				t.Errorf("parsed %d bytes of %d", compiler.parsed, size)
			}
			if compiler.made > 2*maxMade {
				t.Errorf("wrote %d bytes of kustomizations", compiler.made)
			}
			if compiler.given > maxBuiltBytes+maxFileBytes || len(compiler.input.Files) > maxBuiltBytes/perMention+maxDocuments {
				t.Errorf("gives %d files with %d bytes", len(compiler.input.Files), compiler.given)
			}
		})
	}
}

// ofSize returns a text with the largest size of a file.
func ofSize(text string) string { return text + strings.Repeat("#", maxFileBytes-len(text)) }

// TestManyProblems ends after a number of problems.
func TestManyProblems(t *testing.T) {
	tree, _ := treeOf(repeated("resources: "+list("missing.yaml", 1998), thing))
	_, _, err := compile(t.Context(), tree)
	var problems manifest.Problems
	if !errors.As(err, &problems) || len(problems) != maxProblems+1 {
		t.Errorf("got %d problems", len(problems))
	}
}

// opened cancels a context when the number of opened files reaches left.
type opened struct {
	fs.FS
	left   int
	cancel context.CancelFunc
	after  int // number of files that were opened after that
}

func (o *opened) Open(name string) (fs.File, error) {
	switch o.left--; {
	case o.left == 0:
		o.cancel()
	case o.left < 0:
		o.after++
	}
	return o.FS.Open(name)
}

func (o *opened) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(o.FS, name) }

func (o *opened) ReadLink(name string) (string, error) { return fs.ReadLink(o.FS, name) }

// TestCancelled ends between two files with the error of the context.
func TestCancelled(t *testing.T) {
	tree, _ := treeOf(repeated("resources: [../a.yaml]\n", thing))
	for left := range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		files := &opened{FS: tree.Files, left: left, cancel: cancel}
		if left == 0 {
			cancel()
		}
		_, err := Load(ctx, Tree{Files: files, Root: "."}, func(context.Context, Input) (Output, error) {
			t.Error("it is built")
			return Output{}, nil
		})
		var problems manifest.Problems
		if !errors.Is(err, context.Canceled) || errors.As(err, &problems) || files.after > 0 {
			t.Errorf("after %d files: got %v, and %d files were opened later", left, err, files.after)
		}
		cancel()
	}
}
