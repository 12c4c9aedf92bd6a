package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/sops"
)

// Bounds of a document.
const (
	maxValues = 500_000 // before it is parsed
	maxDepth  = 1_000
)

// document is one document of a file.
type document struct {
	header string   // the line with --- or ..., if there is one
	line   int      // of the first line after the header, from 1
	body   []string // lines without line breaks
	cut    bool     // the last line has no line break
	root   *yaml.Node
	// fixed says that the document keeps its layout: it is not a mapping with a field on each line, or its content begins in
	// the header.
	fixed bool
}

// documents splits a file at the markers of YAML, and parses each document.
func documents(text string) (docs []document, err error) {
	d := document{line: 1}
	flush := func() error {
		if d.header == "" && len(d.body) == 0 {
			return nil
		}
		err := d.parse()
		docs = append(docs, d)
		return err
	}
	rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, row := range rows {
		if !marks(row, "---") && !marks(row, "...") {
			d.body = append(d.body, row)
			continue
		}
		if err := flush(); err != nil {
			return nil, err
		}
		d = document{header: row, line: i + 2}
	}
	d.cut = !strings.HasSuffix(text, "\n")
	return docs, flush()
}

func marks(row, marker string) bool {
	rest, found := strings.CutPrefix(row, marker)
	return found && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

func (d *document) parse() error {
	text := strings.Join(d.body, "\n")
	if !d.cut {
		text += "\n"
	}
	if len(d.header) > 3 {
		if rest := strings.TrimLeft(d.header[3:], " \t"); rest != "" && rest[0] != '#' {
			d.fixed, text = true, d.header+"\n"+text
		}
	}
	root, err := parse(text)
	if err != nil {
		return fmt.Errorf("the document in line %d: %w", d.line, err)
	}
	d.root = root
	d.fixed = d.fixed || root == nil || root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0
	return nil
}

// parse returns the root of a document, or nil if it has no content.
func parse(text string) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not readable: %v", r)
		}
	}()
	n := 0
	for _, mark := range []string{"\n", ",", ":", "[", "{", "?", "- "} {
		n += strings.Count(text, mark)
	}
	if n > maxValues {
		return nil, fmt.Errorf("more than about %d values; split the document", maxValues)
	}
	dec := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	var doc, next yaml.Node
	err = dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, errors.New("a document begins without a line ---")
	}
	if !shallow(&doc, maxDepth) {
		return nil, fmt.Errorf("more than %d levels", maxDepth)
	}
	return doc.Content[0], nil
}

// shallow reports whether no value is below more than depth levels.
func shallow(n *yaml.Node, depth int) bool {
	if depth < 0 {
		return false
	}
	for _, c := range n.Content {
		if !shallow(c, depth-1) {
			return false
		}
	}
	return true
}

func (d document) encrypted() bool { return sops.Has(d.root) }

// isManifest reports whether the document has both fields that make it a manifest.
func (d document) isManifest() bool {
	found := 0
	if d.root == nil || d.root.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		if name := d.root.Content[i].Value; name == "apiVersion" || name == "kind" {
			found++
		}
	}
	return found >= 2
}
