package manifest

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fieldPath is a place in a document. It links to its parent, so that a walk allocates no strings.
type fieldPath struct {
	up    *fieldPath
	name  string
	index int
	list  bool
}

func (p *fieldPath) field(name string) *fieldPath { return &fieldPath{up: p, name: name} }

func (p *fieldPath) item(i int) *fieldPath { return &fieldPath{up: p, index: i, list: true} }

func (p *fieldPath) String() string { return string(p.appendTo(nil)) }

func (p *fieldPath) appendTo(text []byte) []byte {
	if p == nil {
		return text
	}
	text = p.up.appendTo(text)
	if p.list {
		return append(strconv.AppendInt(append(text, '['), int64(p.index), 10), ']')
	}
	return append(text, step(p.name, len(text) == 0)...)
}

// steps returns the names and indexes of the path.
func (p *fieldPath) steps() []string {
	switch {
	case p == nil:
		return nil
	case p.list:
		return append(p.up.steps(), strconv.Itoa(p.index))
	}
	return append(p.up.steps(), p.name)
}

// Below returns the path of a field of the object at a path.
func Below(at, name string) string { return at + step(name, at == "") }

// step returns the text that a name adds to a path.
func step(name string, first bool) string {
	switch {
	case name == "" || strings.ContainsAny(name, ".[]"):
		return "[" + clip(name) + "]"
	case first:
		return clip(name)
	}
	return "." + clip(name)
}

// pathStep is one element of a path: a name. In brackets, it is a name or an index.
type pathStep struct {
	name     string
	brackets bool
}

// Steps returns the names and indexes of a path.
func Steps(path string) (names []string) {
	for _, step := range splitPath(path) {
		names = append(names, step.name)
	}
	return names
}

func splitPath(s string) []pathStep {
	var steps []pathStep
	for s != "" {
		if s[0] == '.' {
			s = s[1:]
			continue
		}
		if s[0] == '[' {
			name, rest, _ := strings.Cut(s[1:], "]")
			steps, s = append(steps, pathStep{name, true}), rest
			continue
		}
		end := strings.IndexAny(s, ".[")
		if end < 0 {
			end = len(s)
		}
		steps, s = append(steps, pathStep{name: s[:end]}), s[end:]
	}
	return steps
}

// in finds the value of the step in a node, and the node at which people should look. It returns nil if there is no such
// value.
func (s pathStep) in(n *yaml.Node) (here, value *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range entries(n) {
			if e.key.Value == s.name {
				return e.key, e.value
			}
		}
	case yaml.SequenceNode:
		i, err := strconv.Atoi(s.name)
		if err == nil && s.brackets && i >= 0 && i < len(n.Content) {
			return n.Content[i], follow(n.Content[i])
		}
	}
	return nil, nil
}
