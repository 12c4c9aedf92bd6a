package format

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// step is the indentation of one level, in columns.
const step = 2

// level is a mapping or a list in which a line lies.
type level struct {
	column, to int // before and after
	list       bool
}

// levels are the mappings and lists around a line, from the outermost.
type levels []level

func (s levels) top() level { return s[len(s)-1] }

// enter returns the levels around a field, value or item in a column, and the column in which it then begins.
func (s levels) enter(column int, item bool) (levels, int) {
	for s.top().column > column || s.top().column == column && s.top().list && !item {
		s = s[:len(s)-1]
	}
	if s.top().column < column {
		s = append(slices.Clip(s), level{column, s.top().to + step, item})
	} else if item && !s.top().list { // the list begins in the column of its field, as Kubernetes' tools write it
		s = append(slices.Clip(s), level{column, s.top().to, item})
	}
	return s, s.top().to
}

// moved returns the new column for what was in a column of one of the levels.
func (s levels) moved(column int) (int, bool) {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].column == column {
			return s[i].to, true
		}
	}
	return 0, false
}

// layout returns the lines of a document in their layout.
func (d *document) layout() ([]line, error) {
	if d.fixed {
		lines := make([]line, len(d.body))
		for i, text := range d.body {
			lines[i] = line{text: text, role: inside}
		}
		return lines, nil
	}
	lines, err := d.classified()
	if err != nil {
		return nil, err
	}
	colons := colonsOf(d.root, map[int]string{})
	around := levels{{column: -1, to: -step}}
	waiting := 0 // comments and blank lines above the current line
	for i := range lines {
		switch lines[i].role {
		case comment, blank:
			waiting++
			continue
		case structure:
			before := around
			indent := indentOf(lines[i].text)
			if strings.HasPrefix(lines[i].text[indent:], "\t") || strings.HasPrefix(lines[i].text[indent:], "? ") {
				return nil, errUnusual
			}
			around = lines[i].arrange(around, colons[i+1])
			place(lines[i-waiting:i], before, indent, indentOf(lines[i].text))
		case inside:
			lines[i].shift(around)
		}
		waiting = 0
	}
	place(lines[len(lines)-waiting:], around, -1, 0)
	return collapsed(d.ordered(lines)), nil
}

func indentOf(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }

// arrange lays out a line with its items and its field. It returns the levels around what follows.
func (l *line) arrange(around levels, name string) levels {
	column := indentOf(l.text)
	rest := l.text[column:]
	head := ""
	for rest == "-" || strings.HasPrefix(rest, "- ") {
		var to int
		around, to = around.enter(column, true)
		if head == "" {
			head = strings.Repeat(" ", to)
		}
		after := strings.TrimLeft(rest[1:], " ")
		column += len(rest) - len(after)
		head, rest = head+"- ", after
		if rest == "" || rest[0] == '#' {
			l.text = strings.TrimRight(head+rest, " ")
			return around
		}
	}
	around, to := around.enter(column, false)
	if head == "" {
		head = strings.Repeat(" ", to)
	}
	l.text = head + spaced(rest, name)
	if !l.open {
		l.text = strings.TrimRight(l.text, " \t")
	}
	return around
}

// spaced writes a field and its value with one space between them.
func spaced(rest, name string) string {
	after, found := strings.CutPrefix(rest, name)
	if name == "" || !found {
		return rest
	}
	value, found := strings.CutPrefix(strings.TrimLeft(after, " \t"), ":")
	if !found || value != "" && value[0] != ' ' && value[0] != '\t' {
		return rest
	}
	trimmed := strings.TrimLeft(value, " \t")
	if trimmed == "" {
		return name + ":"
	}
	if trimmed[0] == '#' {
		return name + ":" + value
	}
	return name + ": " + trimmed
}

// colonsOf adds the plain name of the first field on each line.
func colonsOf(n *yaml.Node, found map[int]string) map[int]string {
	if n.Style&yaml.FlowStyle != 0 {
		return found
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Style == 0 && c.Kind == yaml.ScalarNode {
			if found[c.Line] == "" {
				found[c.Line] = c.Value
			}
		}
		colonsOf(c, found)
	}
	return found
}

// shift moves a line of a value with the field or item that has the value.
func (l *line) shift(around levels) {
	to, found := around.moved(l.parent)
	if !found {
		return
	}
	indent := indentOf(l.text)
	if l.deep >= 0 {
		if indent == len(l.text) && indent <= l.deep {
			l.text = ""
			return
		}
		l.text = strings.Repeat(" ", max(to, 0)+step+indent-l.deep) + l.text[indent:]
		return
	}
	if indent == len(l.text) {
		return
	}
	l.text = strings.Repeat(" ", max(0, indent+to-l.parent)) + l.text[indent:]
}

// place indents comments: like the line below them if they began in the same column, or else like the level in which they lay.
func place(above []line, around levels, below, to int) {
	for i := range above {
		if above[i].role == blank {
			above[i].text = ""
			continue
		}
		at := to
		if column := indentOf(above[i].text); column != below {
			if moved, found := around.moved(column); found {
				at = moved
			} else if below < 0 {
				at = max(around.top().to, 0)
			}
		}
		above[i].text = strings.Repeat(" ", at) + strings.TrimSpace(above[i].text)
	}
}

// collapsed leaves one blank line where there are several, and none at the beginning.
func collapsed(lines []line) []line {
	kept := lines[:0:0]
	for _, l := range lines {
		if l.role == blank && (len(kept) == 0 || kept[len(kept)-1].role == blank) {
			continue
		}
		kept = append(kept, l)
	}
	return kept
}
