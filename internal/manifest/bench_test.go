package manifest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// many returns a repository with this number of files. Each file contains ten small objects.
func many(files int) fstest.MapFS {
	out := fstest.MapFS{}
	for i := range files {
		var text strings.Builder
		for j := range 10 {
			fmt.Fprintf(&text, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata:\n  name: n%d-%d\n"+
				"  labels: {team: web}\nspec:\n  resource:\n    name: front\n    cidr: 10.0.0.0/24\n    mtu: 1500\n    tags: [a, b]\n", i, j)
		}
		out[fmt.Sprintf("dir%02d/f%04d.yaml", i%20, i)] = &fstest.MapFile{Data: []byte(text.String())}
	}
	return out
}

func BenchmarkLoad(b *testing.B) {
	files := many(1000)
	for b.Loop() {
		loaded, err := manifest.Load(files, kinds())
		if err != nil || len(loaded.Objects) != 10_000 {
			b.Fatalf("%d objects, %v", len(loaded.Objects), err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	loaded, err := manifest.Load(many(100), kinds())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range loaded.Objects {
			var into struct {
				Spec network `json:"spec"`
			}
			if problems := loaded.Objects[i].Decode(&into); len(problems) > 0 {
				b.Fatal(problems)
			}
		}
	}
}
