package child

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// FuzzValues builds a folder that changes nothing. Each document keeps its values.
func FuzzValues(f *testing.F) {
	const head = "apiVersion: a.example/v1\nkind: Thing\nmetadata: {name: a}\n"
	for _, text := range []string{
		"spec: {a: [1, {b: c}], d: e, f: 1.50, g: ~, h: 0755, i: '1', j: \"yes\", k: 2026-01-31, l: 2026-01-31T12:00:00Z}\n",
		"spec: >-\n  one\n    indented\n  two\n",
		"spec: >\n    one\n\n\n    two\n     three\n\n    four\n\n",
		"spec: |2\n    two\n  none\n", "spec: |+\n  keep\n\n\n", "spec: \"\\n x \\n\\t\\u0085\\u2028\"\n", "spec:\n- - a\n  - b: |-\n      x\n    c: >-\n      y\n       z\n", "spec: {a, b: , c: [d, ]}\n", "a: &a {b: c}\nd: *a\ne: {<<: *a, f: g}\n",
	} {
		f.Add(head + text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		files := fstest.MapFS{"kustomization.yaml": {Data: []byte("resources: [a.yaml]\n")}, "a.yaml": {Data: []byte(text)}}
		made, err := kustomize.Load(t.Context(), kustomize.Tree{Files: files}, func(_ context.Context, in kustomize.Input) (kustomize.Output, error) { return build(in), nil })
		if err != nil {
			return
		}
		texts := make([]string, 0, len(made.Built))
		for _, b := range made.Built {
			texts = append(texts, string(b.Text))
		}
		if !strings.Contains(text, "List") && !strings.Contains(text, "config.kubernetes.io") {
			compare(t, strings.Join(texts, "---\n"), text)
		}
	})
}

// compare compares documents, their order, and all their fields with types. The order of fields and the styles do not count.
func compare(t *testing.T, got, want string) {
	t.Helper()
	have, wanted := values(t, got), values(t, want)
	if len(have) != len(wanted) {
		t.Errorf("got %d documents, want %d", len(have), len(wanted))
	}
	for i := range min(len(have), len(wanted)) {
		if have[i] != wanted[i] {
			t.Errorf("document %d: got\n%s\nwant\n%s", i+1, have[i], wanted[i])
		}
	}
}

// values returns each document with a line for each value. The notations of a number do not count.
func values(t *testing.T, text string) (documents []string) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var n yaml.Node
		if decoder.Decode(&n) != nil {
			break
		}
		var lines []string
		flatten(&n, "", &lines)
		slices.Sort(lines)
		documents = append(documents, strings.Join(lines, "\n"))
	}
	return documents
}

func flatten(n *yaml.Node, path string, lines *[]string) {
	switch n.Kind {
	case yaml.DocumentNode:
		flatten(n.Content[0], path, lines)
	case yaml.AliasNode:
		flatten(n.Alias, path, lines)
	case yaml.MappingNode:
		for key, value := range manifest.Entries(n) {
			flatten(value, path+"."+key.Value, lines)
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			flatten(c, fmt.Sprintf("%s[%03d]", path, i), lines)
		}
	}
	if len(n.Content) == 0 && n.Kind != yaml.AliasNode {
		*lines = append(*lines, fmt.Sprintf("%s: %s", path, scalar(n)))
	}
}

func scalar(n *yaml.Node) string {
	var value any
	if n.ShortTag() == "!!timestamp" {
		return fmt.Sprintf("text %q", n.Value) // as manifests are read
	}
	if err := n.Decode(&value); err != nil {
		return err.Error()
	}
	switch v := value.(type) {
	case int:
		return fmt.Sprint("number ", float64(v))
	case float64:
		return fmt.Sprint("number ", v)
	case string:
		return fmt.Sprintf("text %q", v)
	}
	return fmt.Sprint(n.ShortTag(), " ", value)
}
