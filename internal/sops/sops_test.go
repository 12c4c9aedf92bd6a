package sops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// parse parses a file like package manifest does: the comments of a document belong to its root.
func parse(t *testing.T, text []byte) (docs []*yaml.Node) {
	t.Helper()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			t.Fatal(err)
		}
		root := doc.Content[0]
		root.HeadComment = strings.TrimSpace(doc.HeadComment + "\n" + root.HeadComment)
		root.FootComment = strings.TrimSpace(root.FootComment + "\n" + doc.FootComment)
		docs = append(docs, root)
	}
}

func keysOf(t *testing.T, names ...string) *Keys {
	t.Helper()
	keys := &Keys{}
	for _, name := range names {
		file, add := "testdata/keys/"+name+".age", keys.AddAge
		if name == "openpgp" {
			file, add = "testdata/keys/openpgp.asc", keys.AddOpenPGP
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := add(text); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// opened decrypts a file.
func opened(t *testing.T, text []byte, keys *Keys) ([]*yaml.Node, []Problem) {
	t.Helper()
	docs := parse(t, text)
	file, problems := Read(docs, &Effort{})
	if len(problems) > 0 {
		return nil, problems
	}
	_, problems = file.Decrypt(keys)
	return docs, problems
}

// plainValues lists all values of documents, with their paths and types.
func plainValues(docs []*yaml.Node) string {
	var b strings.Builder
	for i, doc := range docs {
		fmt.Fprintf(&b, "document %d\n", i)
		list(&b, doc, "")
	}
	return b.String()
}

func list(b *strings.Builder, n *yaml.Node, path string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			list(b, n.Content[i+1], path+"."+n.Content[i].Value)
		}
		fmt.Fprintf(b, "%s has %d entries\n", path, len(n.Content)/2)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			list(b, item, fmt.Sprintf("%s[%d]", path, i))
		}
		fmt.Fprintf(b, "%s has %d items\n", path, len(n.Content))
	default:
		v, _, err := valueOf(n)
		fmt.Fprintf(b, "%s = %s %q %v\n", path, v.kind, v.hashed, err)
	}
}
