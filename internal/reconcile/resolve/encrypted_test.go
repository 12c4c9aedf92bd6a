package resolve_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/sops"
)

// TestFieldsThatEverybodySeesAreNotEncrypted encrypts one field after the other.
func TestFieldsThatEverybodySeesAreNotEncrypted(t *testing.T) {
	key, err := os.ReadFile("../../sops/testdata/keys/first.age")
	if err != nil {
		t.Fatal(err)
	}
	keys := &sops.Keys{}
	if err := keys.AddAge(key); err != nil {
		t.Fatal(err)
	}
	const text = "apiVersion: test/v1\nkind: Thing\nmetadata: {name: a, labels: {x: \"y\"}}\nspec:\n  managementPolicy: managed\n  resource: {colour: red, near: [b]}\n" +
		"---\napiVersion: test/v1\nkind: Thing\nmetadata: {name: b}\nspec: {resource: {colour: red}}\n"
	for expression, want := range map[string]string{
		"^colour$": "", "^name$": "metadata.name", "^labels$": "metadata.labels.x", "^kind$": "kind", "^apiVersion$": "apiVersion",
		"^managementPolicy$": "spec.managementPolicy", "^near$": "spec.resource.near[0]",
	} {
		encrypted, err := sops.Encrypt([]byte(text), sops.Encryption{Recipients: []string{regexp.MustCompile(`age1\w+`).FindString(string(key))}, Expression: expression}, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []manifest.Decryption{{Keys: keys}, {Unknown: true}} {
			reader := resolve.Reader{Kinds: []*kind.Kind{thingtest.New().Kind()}, Decryption: d}
			_, err := reader.Read(context.Background(), fstest.MapFS{"a.yaml": {Data: encrypted}})
			var problems manifest.Problems
			errors.As(err, &problems)
			found := slices.ContainsFunc(problems, func(p manifest.Problem) bool { return p.Field == want })
			if want == "" && err != nil || want != "" && !found && !(d.Unknown && strings.Contains(want, "near")) {
				t.Errorf("%s, unknown %v: got %v", expression, d.Unknown, err)
			}
		}
	}
}
