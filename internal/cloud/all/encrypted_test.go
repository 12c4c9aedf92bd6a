package all_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/sops"
)

// TestNoMessageShowsEncryptedValues puts wrong values into the fields of every kind, one name of a field after the other, and encrypts
// them. No message may show a value or a part of it.
func TestNoMessageShowsEncryptedValues(t *testing.T) {
	text, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("NAME"), []byte("x"))
	key, err := os.ReadFile("../../sops/testdata/keys/first.age")
	if err != nil {
		t.Fatal(err)
	}
	keys := &sops.Keys{}
	if err := keys.AddAge(key); err != nil {
		t.Fatal(err)
	}
	recipient := regexp.MustCompile(`age1\w+`).FindString(string(key))
	reader := resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{}), Decryption: manifest.Decryption{Keys: keys}, Missing: true}
	refused := 0
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		var root yaml.Node
		if err := yaml.Unmarshal(doc, &root); err != nil {
			t.Fatal(err)
		}
		if len(root.Content) == 0 {
			continue
		}
		for _, name := range fieldNames(root.Content[0]) {
			for _, v := range []struct{ value, sign string }{{"zq7Xk2-horse-battery", "zq7Xk2"}, {"203.0.113.77/26", "203.0.113"}, {"987654321", "987654"},
				{"zq7Xk2 \"horse\"\nbattery", "zq7Xk2"}, {"zq7Xk2-" + strings.Repeat("horse-", 60), "zq7Xk2"}} {
				changed := root
				if err := yaml.Unmarshal(doc, &changed); err != nil {
					t.Fatal(err)
				}
				setFields(changed.Content[0], name, v.value, false)
				written, err := yaml.Marshal(&changed)
				if err != nil {
					t.Fatal(err)
				}
				sealed, err := sops.Encrypt(written, sops.Encryption{Recipients: []string{recipient}, Expression: "^" + regexp.QuoteMeta(name) + "$"}, time.Unix(0, 0))
				if errors.Is(err, sops.ErrNothing) {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, written)
				}
				_, err = reader.Read(context.Background(), fstest.MapFS{"a.yaml": {Data: sealed}})
				if errors.As(err, new(manifest.Problems)) {
					refused++
				}
				if err != nil && strings.Contains(err.Error(), v.sign) {
					t.Errorf("%s with %s: %v", name, v.value, err)
				}
			}
		}
	}
	if refused < 500 {
		t.Errorf("only %d documents were refused", refused)
	}
}

// fieldNames returns the names of all fields below spec.
func fieldNames(root *yaml.Node) []string {
	names := map[string]bool{}
	var walk func(n *yaml.Node, within bool)
	walk = func(n *yaml.Node, within bool) {
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				if within {
					names[c.Value] = true
				}
				continue
			}
			walk(c, within || n.Kind == yaml.MappingNode && n.Content[i-1].Value == "spec")
		}
	}
	walk(root, false)
	return slices.Sorted(maps.Keys(names))
}

// setFields writes a value into all scalars below the fields of a name.
func setFields(n *yaml.Node, name, value string, within bool) {
	if n.Kind == yaml.ScalarNode {
		if within {
			n.Value, n.Tag, n.Style = value, "", 0
		}
		return
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		setFields(c, name, value, within || n.Kind == yaml.MappingNode && n.Content[i-1].Value == name)
	}
}
