package definition_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// FuzzDefinition reads arbitrary files of a repository as a definition, and an object of its kind. Reading ends
// soon and always with the same result. Every problem contains a place.
func FuzzDefinition(f *testing.F) {
	files, err := filepath.Glob("../../testdata/definitions/*/definition.yaml")
	if err != nil || len(files) < 4 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		others, err := filepath.Glob(filepath.Join(filepath.Dir(file), "[!d]*.yaml"))
		if err != nil || len(others) != 1 {
			f.Fatal(others, err)
		}
		var texts [2]string
		for i, name := range []string{file, others[0]} {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			texts[i] = string(text)
		}
		f.Add(texts[0], texts[1])
	}
	f.Add(definitionOf(" {a: string, n: integer}", resource("    forEach: [{x: '${lists.range(schema.spec.n)}'}]\n", "{description: 'x ${schema.spec.a} $${y} ${x}'}")), team+"spec: {a: b, n: 3}")
	f.Add(machines, "apiVersion: stackreeve.dev/v1alpha1\nkind: Machines\nmetadata: {name: red}\nspec: {replicas: 2, template: {image: i, flavor: f}}")
	kinds := all.Kinds(nil, defaults.Defaults{})
	f.Fuzz(func(t *testing.T, definition, objects string) {
		read := func() string {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			files := fstest.MapFS{"def.yaml": {Data: []byte(definition)}, "red.yaml": {Data: []byte(objects)}}
			got, err := resolve.Reader{Kinds: kinds, Bounds: resolve.Bounds{Objects: 500}}.Read(ctx, files)
			var problems manifest.Problems
			switch {
			case ctx.Err() != nil:
				t.Fatal("it does not end")
			case err != nil && !errors.As(err, &problems):
				t.Fatal(err)
			}
			for _, p := range problems {
				if p.Origin.File == "" || p.What == "" || strings.Contains(p.What, "defect of the program") {
					t.Errorf("problem without a place or a reason: %+v", p)
				}
			}
			var text strings.Builder
			for _, d := range got.Want {
				text.WriteString(d.Key.String() + " " + d.Digest + "\n")
			}
			return text.String() + problems.Error()
		}
		if first, again := read(), read(); first != again {
			t.Errorf("read twice it is\n%s\nand\n%s", first, again)
		}
	})
}
