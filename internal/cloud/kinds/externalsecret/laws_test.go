package externalsecret_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/kinds/externalsecret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/secret"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// read reads an ExternalSecret with one value, whose store has the text "value".
func read(t *testing.T, path string) (resolve.Reading, error) {
	t.Helper()
	fill := func(_ context.Context, wanted []*kind.Stored) {
		for _, of := range wanted {
			of.Data = map[string]string{}
			for name := range of.Entries {
				of.Data[name] = "value"
			}
		}
	}
	r := resolve.Reader{Kinds: []*kind.Kind{externalsecret.Kind(), secret.Kind()}, Stores: resolve.Stores{Forms: map[string]resolve.StoreForm{"s": {}}, Read: fill}}
	text := fmt.Sprintf("apiVersion: stackreeve.dev/v1alpha1\nkind: ExternalSecret\nmetadata: {name: a}\nspec: {store: s, data: {password: {path: %q}}}\n", path)
	return r.Read(t.Context(), fstest.MapFS{"a.yaml": {Data: []byte(text)}})
}

func TestItIsASecret(t *testing.T) {
	got, err := read(t, "db/password")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got.Want {
		if d.Key.Kind == "Secret" && d.Key.Name == "a" && d.Data["password"] == "value" && !d.PublicData {
			return
		}
	}
	t.Errorf("no Secret in %v", got.Want)
}

// No path leads out of the folder or prefix that the configuration allows.
func TestAttackPaths(t *testing.T) {
	for _, path := range []string{"../x", "a/../../x", "/etc/passwd", "a//b", ".", "..", "a/", "a\x00b", `a\b`, "a\u202eb", "a\nb", strings.Repeat("a", 513)} {
		if _, err := read(t, path); err == nil || !strings.Contains(err.Error(), "a.yaml:4") {
			t.Errorf("%q: %v", path, err)
		}
	}
}
