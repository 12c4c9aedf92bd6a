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

func (p *fieldPath) String() string {
	if p == nil {
		return ""
	}
	head := p.up.String()
	switch {
	case p.list:
		return head + "[" + strconv.Itoa(p.index) + "]"
	case p.name == "" || strings.ContainsAny(p.name, ".[]"):
		return head + "[" + clip(p.name) + "]"
	case head == "":
		return clip(p.name)
	}
	return head + "." + clip(p.name)
}

// pathStep is one element of a path: a name. In brackets, it is a name or an index.
type pathStep struct {
	name     string
	brackets bool
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

// in finds the value of the step in a node, and the line that people should look at. It returns nil if there is no such
// value.
func (s pathStep) in(n *yaml.Node) (int, *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range entries(n) {
			if e.key.Value == s.name {
				return e.key.Line, e.value
			}
		}
	case yaml.SequenceNode:
		i, err := strconv.Atoi(s.name)
		if err == nil && s.brackets && i >= 0 && i < len(n.Content) {
			return n.Content[i].Line, follow(n.Content[i])
		}
	}
	return 0, nil
}
