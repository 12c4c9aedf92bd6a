package export_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestAStackReadsWhatWasWritten checks that a stack can read every export: large projects, and
// objects of any name.
func TestAStackReadsWhatWasWritten(t *testing.T) {
	testcost.Long(t)
	about := strings.Repeat("x", 250)
	var objects []export.Object
	names := []string{"kustomization"}
	for i := range 14_000 {
		names = append(names, fmt.Sprintf("n%05d", i))
	}
	for _, name := range names {
		objects = append(objects, export.Object{Key: manifest.Key{Kind: "Network", Name: name},
			Text: []byte("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata:\n  name: " + name + "\nspec:\n  resource:\n    description: " + about + "\n")})
	}
	for _, c := range []struct {
		apart bool
		n     int
	}{{false, len(objects)}, {true, 20}} {
		dir := t.TempDir()
		if err := export.Write(dir, c.apart, objects[:c.n]); err != nil {
			t.Fatal(err)
		}
		got, err := resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{})}.Read(t.Context(), os.DirFS(dir))
		if err != nil || len(got.Want) != c.n || len(got.Ignored) > 0 {
			t.Errorf("apart %v: %d of %d objects, %v, %v", c.apart, len(got.Want), c.n, got.Ignored, err)
		}
	}
}
