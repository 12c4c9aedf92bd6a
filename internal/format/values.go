package format

import (
	"errors"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// role says what a line is.
type role int

const (
	structure role = iota // the line begins with a field, a list item or a value
	blank
	comment
	inside // the line belongs to a value that begins above it
)

// line is one line of a document.
type line struct {
	text string
	role role
	// parent is the column of the field or item to whose value an inside line belongs, from 0.
	parent int
	// deep is the column of the text of a block scalar, -1 in any other value.
	deep int
	open bool // a quoted or flow value goes on in the next line
}

// spot is a place in a document: the index of a line, and a byte in it.
type spot struct{ row, at int }

var errUnusual = errors.New("the layout of this document is unusual; it was not changed")

// values finds the lines on which values go on that begin above them.
type values struct {
	lines  []line
	quotes map[spot]byte // where quoted scalars begin
	marks  [][]int       // by row: the byte at which each stride of characters begins; nil before the first use
	walked int           // the characters that were counted
}

// stride is the number of characters between two marks of a line.
const stride = 64

// classified returns the lines of a document with their roles.
func (d *document) classified() ([]line, error) {
	v := d.values()
	err := v.visit(d.root, -1)
	return v.lines, err
}

// values returns the lines of a document before those inside values are marked.
func (d *document) values() *values {
	v := &values{lines: make([]line, len(d.body)), quotes: map[spot]byte{}, marks: make([][]int, len(d.body))}
	for i, text := range d.body {
		v.lines[i] = line{text: text, deep: -1}
		switch trimmed := strings.TrimLeft(text, " \t"); {
		case trimmed == "":
			v.lines[i].role = blank
		case trimmed[0] == '#':
			v.lines[i].role = comment
		}
	}
	v.findQuotes(d.root)
	return v
}

// endsInside reports whether the last line belongs to a block scalar, so that a line break after it changes the value.
func (d *document) endsInside() bool {
	if d.fixed {
		return true
	}
	lines, err := d.classified()
	return err == nil && len(lines) > 0 && lines[len(lines)-1].deep >= 0
}

func (v *values) findQuotes(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		s := v.begin(n)
		if text := v.lines[s.row].text; s.at < len(text) && (text[s.at] == '"' || text[s.at] == '\'') {
			v.quotes[s] = text[s.at]
		}
	}
	for _, c := range n.Content {
		v.findQuotes(c)
	}
}

// begin returns where a value begins, after its anchor and tag.
func (v *values) begin(n *yaml.Node) spot {
	s := spot{min(max(n.Line-1, 0), len(v.lines)-1), 0}
	text := v.lines[s.row].text
	s.at = v.offset(s.row, n.Column-1)
	for n.Kind != yaml.AliasNode && s.at < len(text) && (text[s.at] == '&' || text[s.at] == '!') {
		if end := strings.IndexAny(text[s.at:], " \t"); end >= 0 {
			s.at += end
		} else {
			s.at = len(text)
		}
		s.at += len(text[s.at:]) - len(strings.TrimLeft(text[s.at:], " \t"))
	}
	return s
}

// offset returns the byte of a character in a line, both from 0. The first call walks the line, later ones walk at most a
// stride, so that a line with many values is not walked for each of them.
func (v *values) offset(row, character int) int {
	text := v.lines[row].text
	if v.marks[row] == nil {
		v.marks[row] = []int{0}
		n := 0
		for at := range text {
			if n > 0 && n%stride == 0 {
				v.marks[row] = append(v.marks[row], at)
			}
			n++
		}
		v.walked += n
	}
	character = max(character, 0)
	mark := min(character/stride, len(v.marks[row])-1)
	at := v.marks[row][mark]
	for range character - mark*stride {
		if at == len(text) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
		v.walked++
	}
	return at
}

// visit marks the lines inside a value of the field or item in a column.
func (v *values) visit(n *yaml.Node, parent int) error {
	switch {
	case n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if err := v.visit(n.Content[i+1], n.Content[0].Column-1); err != nil {
				return err
			}
		}
	case n.Kind == yaml.SequenceNode && n.Style&yaml.FlowStyle == 0:
		column := v.dash(n)
		for _, c := range n.Content {
			if err := v.visit(c, column); err != nil {
				return err
			}
		}
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		v.block(n, parent)
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0:
		v.plain(n, parent)
	case n.Kind != yaml.AliasNode:
		begin := v.begin(n)
		end, found := v.end(begin)
		if !found {
			return errUnusual
		}
		for row := begin.row; row < end.row; row++ {
			v.lines[row].open = true
			v.inside(row+1, parent, -1)
		}
	}
	return nil
}

// dash returns the column of the items of a list. The list itself may begin with an anchor on the line above.
func (v *values) dash(n *yaml.Node) int {
	if len(n.Content) > 0 && n.Line != n.Content[0].Line {
		if first := v.begin(n.Content[0]); strings.HasPrefix(strings.TrimLeft(v.lines[first.row].text, " "), "-") {
			return indentOf(v.lines[first.row].text)
		}
	}
	return n.Column - 1
}

func (v *values) inside(row, parent, deep int) {
	v.lines[row].role, v.lines[row].parent, v.lines[row].deep = inside, parent, deep
}

// block gives the lines of a block scalar the role inside. Blank lines at its end belong to it only if its header says so.
func (v *values) block(n *yaml.Node, parent int) {
	begin := v.begin(n)
	text := v.lines[begin.row].text
	header, _, _ := strings.Cut(text[min(begin.at, len(text)):], " ")
	deep := -1
	if i := strings.IndexAny(header, "123456789"); i >= 0 {
		deep = max(parent, 0) + int(header[i]-'0')
	}
	last := begin.row
	for row := begin.row + 1; row < len(v.lines); row++ {
		text := v.lines[row].text
		indent := len(text) - len(strings.TrimLeft(text, " "))
		if indent == len(text) { // blank
			if strings.Contains(header, "+") || deep >= 0 && indent > deep {
				last = row
			}
			continue
		}
		if deep < 0 && indent > parent {
			deep = indent
		}
		if deep < 0 || indent < deep {
			break
		}
		last = row
	}
	for row := begin.row + 1; row <= last; row++ {
		v.inside(row, parent, deep)
	}
}

// plain gives the role inside to the lines after the first of a plain scalar (a text without quotes).
func (v *values) plain(n *yaml.Node, parent int) {
	if n.Value == "" || !strings.ContainsAny(n.Value, " \n") {
		return
	}
	begin := v.begin(n)
	last := begin.row
	for row := begin.row + 1; row < len(v.lines); row++ {
		text := v.lines[row].text
		indent := len(text) - len(strings.TrimLeft(text, " \t"))
		if indent == len(text) {
			continue
		}
		if indent <= parent || v.lines[row].role == comment || strings.Contains(v.lines[row-1].text, " #") && last == row-1 {
			break
		}
		last = row
	}
	for row := begin.row + 1; row <= last; row++ {
		v.inside(row, parent, -1)
	}
}

// end returns the place after a quoted scalar or a flow collection.
func (v *values) end(begin spot) (spot, bool) {
	depth := 0
	for s := begin; s.row < len(v.lines); s = (spot{s.row + 1, 0}) {
		text := v.lines[s.row].text
		for s.at < len(text) {
			if quote := v.quotes[s]; quote != 0 {
				after, found := v.closing(s, quote)
				if !found || depth == 0 {
					return after, found
				}
				s, text = after, v.lines[after.row].text
				continue
			}
			switch c := text[s.at]; {
			case c == '#' && (s.at == 0 || text[s.at-1] == ' ' || text[s.at-1] == '\t'):
				s.at = len(text)
				continue
			case c == '[' || c == '{':
				depth++
			case c == ']' || c == '}':
				depth--
			}
			s.at++
			if depth == 0 {
				return s, true
			}
		}
	}
	return spot{}, false
}

// closing returns the place after the quote that ends a scalar.
func (v *values) closing(begin spot, quote byte) (spot, bool) {
	at := begin.at + 1
	for row := begin.row; row < len(v.lines); row, at = row+1, 0 {
		text := v.lines[row].text
		for ; at < len(text); at++ {
			switch {
			case quote == '"' && text[at] == '\\', quote == '\'' && strings.HasPrefix(text[at:], "''"):
				at++
			case text[at] == quote:
				return spot{row, at + 1}, true
			}
		}
	}
	return spot{}, false
}
