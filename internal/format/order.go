package format

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// first are the fields at the beginning of a manifest. Others follow as they are.
var first = []string{"apiVersion", "kind", "metadata", "spec"}

func rank(name string) int {
	if i := slices.Index(first, name); i >= 0 {
		return i
	}
	return len(first)
}

// part is a field of a document, with the comments directly above it.
type part struct {
	rank  int
	lines []line
}

// ordered moves the fields of a manifest into their order. Comments at the beginning that a blank line separates from the
// first field stay there, and so do those at the end.
func (d *document) ordered(lines []line) []line {
	if !d.isManifest() || hasAnchors(d.root) || inOrder(d.root) {
		return lines
	}
	begins := map[int]int{} // from the index of a line to the rank of its field
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		begins[d.root.Content[i].Line-1] = rank(d.root.Content[i].Value)
	}
	if len(begins) != len(d.root.Content)/2 {
		return lines
	}
	var head, tail []line
	var parts []part
	start := 0
	for i := range lines {
		r, begin := begins[i]
		if !begin || lines[i].role != structure {
			continue
		}
		from := i
		for from > start && lines[from-1].role == comment && indentOf(lines[from-1].text) == 0 {
			from--
		}
		if len(parts) == 0 {
			head = lines[:from]
		} else {
			last := &parts[len(parts)-1]
			last.lines = lines[start:from]
		}
		parts, start = append(parts, part{rank: r}), from
	}
	end := len(lines)
	for end > start && (lines[end-1].role == blank || lines[end-1].role == comment && indentOf(lines[end-1].text) == 0) {
		end--
	}
	parts[len(parts)-1].lines, tail = lines[start:end], lines[end:]
	slices.SortStableFunc(parts, func(a, b part) int { return a.rank - b.rank })
	sorted := slices.Clone(head)
	for _, p := range parts {
		sorted = append(sorted, p.lines...)
	}
	return append(sorted, tail...)
}

func hasAnchors(n *yaml.Node) bool {
	return n.Anchor != "" || n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, hasAnchors)
}

func inOrder(root *yaml.Node) bool {
	last := 0
	for i := 0; i+1 < len(root.Content); i += 2 {
		r := rank(root.Content[i].Value)
		if r < last {
			return false
		}
		last = r
	}
	return true
}

var errChanged = errors.New("the layout would change a value; the file was not changed")

// same compares the documents of a file with those of its layout, and what is not a space in both.
func same(docs []document, before, after string) error {
	again, err := documents(after)
	if err != nil || len(again) != len(docs) || letters(before) != letters(after) {
		return errChanged
	}
	for i := range docs {
		a, b := docs[i].root, again[i].root
		if (a == nil) != (b == nil) || a != nil && !equal(arranged(docs[i]), b) {
			return errChanged
		}
	}
	return nil
}

// letters counts each byte that is not a space.
func letters(text string) (count [256]int) {
	for i := range len(text) {
		if !unicode.IsSpace(rune(text[i])) {
			count[text[i]]++
		}
	}
	return count
}

// arranged returns the root of a document with its fields in order, as far as that is done.
func arranged(d document) *yaml.Node {
	if d.fixed || !d.isManifest() || hasAnchors(d.root) {
		return d.root
	}
	type pair [2]*yaml.Node
	var pairs []pair
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		pairs = append(pairs, pair{d.root.Content[i], d.root.Content[i+1]})
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return rank(a[0].Value) - rank(b[0].Value) })
	root := *d.root
	root.Content = nil
	for _, p := range pairs {
		root.Content = append(root.Content, p[0], p[1])
	}
	return &root
}

// equal reports whether two values say the same in the same style.
func equal(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.ShortTag() == b.ShortTag() && a.Value == b.Value && a.Anchor == b.Anchor && a.Style == b.Style &&
		slices.EqualFunc(a.Content, b.Content, equal) && strings.TrimSpace(a.LineComment) == strings.TrimSpace(b.LineComment)
}
