package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// directive is the field by which a document of a later layer says what happens to a mapping. Its values are those of
// the strategic merge patch of Kubernetes.
const (
	directive        = "$patch"
	directiveDelete  = "delete"
	directiveReplace = "replace"
)

// merger merges a document of a later layer into the document of an earlier one. Neither document changes.
//
//	two mappings                             field by field
//	null, or a mapping with $patch: delete   the field is removed
//	a mapping with $patch: replace           the mapping replaces the earlier one
//	two lists with the rule key              element by element: elements with the same key are merged
//	any other value                          the later one replaces the earlier one
type merger struct {
	other    otherFiles
	file     string // the file of nodes that other does not contain
	hidden   bool   // reports whether the documents have encrypted values, so that no message names their parts
	problems []Problem
}

func (m *merger) problem(n *yaml.Node, at *fieldPath, what, fix string) {
	p := Problem{Origin: m.other.place(n, m.file), Field: at.String(), What: what, Fix: fix}
	if len(m.problems) < maxProblems && !slices.Contains(m.problems, p) {
		m.problems = append(m.problems, p)
	}
}

// documents merges two documents of one object. body is the type of the object's kind; it may be zero.
func (m *merger) documents(base, over *yaml.Node, body Type) *yaml.Node {
	return m.mapping(base, over, valueType{typ: body, head: true}, nil)
}

// valueType says what a value in a document is. It is zero if that is unknown.
type valueType struct {
	typ   Type
	rules rules
	head  bool // reports whether the value is the whole document
}

func (s valueType) field(name string) valueType {
	if s.head && name == "metadata" {
		return valueType{typ: TypeFor[metadata]()}
	}
	switch s.typ.shape() {
	case structShape:
		if f := s.typ.fields().named(name); f != nil {
			below := valueType{typ: f.typ, rules: f.rules}
			below.rules.secret = below.rules.secret || s.rules.secret
			return below
		}
	case mapShape:
		return valueType{typ: s.typ.elem(), rules: s.rules.ofElement()}
	}
	return valueType{}
}

func (s valueType) item() valueType {
	if s.typ.shape() != listShape {
		return valueType{}
	}
	return valueType{typ: s.typ.elem(), rules: s.rules.ofElement()}
}

// value returns the result for a value that both documents have.
func (m *merger) value(base, over *yaml.Node, s valueType, at *fieldPath) *yaml.Node {
	switch {
	case over.Kind == yaml.MappingNode && m.directive(over, at) == directiveReplace:
	case base.Kind == yaml.MappingNode && over.Kind == yaml.MappingNode:
		return m.mapping(base, over, s, at)
	case base.Kind == yaml.SequenceNode && over.Kind == yaml.SequenceNode && s.rules.key != "":
		return m.list(base, over, s, at)
	}
	return m.settled(over, at)
}

func (m *merger) mapping(base, over *yaml.Node, s valueType, at *fieldPath) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: tagMap}
	m.copied(base, out)
	earlier, later := entries(base), entries(over)
	patches, have := make(map[string]entry, len(later)), make(map[string]bool, len(earlier))
	for _, e := range later {
		patches[e.key.Value] = e
	}
	for _, e := range earlier {
		name := e.key.Value
		have[name] = true
		l, both := patches[name]
		switch {
		case !both || s.head && isHead(name) && name != "metadata":
			out.Content = append(out.Content, e.key, e.value)
		case !m.removes(l.value, at.field(name)):
			value := m.value(e.value, l.value, s.field(name), at.field(name))
			key := l.key
			if value.Kind != yaml.ScalarNode && m.other.place(value, m.file) == m.other.place(e.value, m.file) {
				key = e.key // the field began in the earlier document
			}
			out.Content = append(out.Content, key, value)
		}
	}
	for _, e := range later {
		name := e.key.Value
		switch {
		case have[name] || name == directive || s.head && name == "status":
		case m.removes(e.value, at.field(name)):
			m.nothing(e.key, at.field(name), name, func() []string { return names(earlier) })
		default:
			out.Content = append(out.Content, e.key, m.settled(e.value, at.field(name)))
		}
	}
	return out
}

func noNames() []string { return nil }

func names(all []entry) (list []string) {
	for _, e := range all {
		list = append(list, e.key.Value)
	}
	return list
}

// removes reports whether a later value removes the field.
func (m *merger) removes(n *yaml.Node, at *fieldPath) bool {
	return isNull(n) || m.directive(n, at) == directiveDelete
}

const (
	maxAdvice   = 20    // number of problems of an object with names that may have been meant.
	maxCompared = 1_000 // number of names with which a name is compared.
)

// nothing reports that there is nothing to remove. have returns the names of the parts that can be removed.
func (m *merger) nothing(n *yaml.Node, at *fieldPath, name string, have func() []string) {
	fix := ""
	if !m.hidden && len(m.problems) < maxAdvice {
		known := have()
		fix = didYouMean(name, known[:min(len(known), maxCompared)])
	}
	if fix == "" {
		fix = "remove this line"
	}
	m.problem(n, at, "no earlier layer has it, so that it cannot be removed", fix)
}

// directive returns the value of $patch in a mapping, or "".
func (m *merger) directive(n *yaml.Node, at *fieldPath) string {
	key, value := lookup(n, directive)
	switch {
	case key == nil:
		return ""
	case value.Kind == yaml.ScalarNode && (value.Value == directiveDelete || value.Value == directiveReplace):
		return value.Value
	}
	m.problem(key, at.field(directive), "is neither "+directiveDelete+" nor "+directiveReplace, "write one of them; or remove the line, so that the mapping is merged")
	return directiveReplace
}

// settled returns a value of a later layer without its directives $patch. It is for a value that the earlier layers do not have.
func (m *merger) settled(n *yaml.Node, at *fieldPath) *yaml.Node {
	if !instructs(n) {
		return n
	}
	out := &yaml.Node{Kind: n.Kind, Tag: n.Tag}
	m.copied(n, out)
	if n.Kind == yaml.SequenceNode {
		for i, item := range n.Content {
			if item = follow(item); m.directive(item, at.item(i)) == directiveDelete {
				m.nothing(item, at.item(i), "", noNames)
				continue
			}
			out.Content = append(out.Content, m.settled(item, at.item(i)))
		}
		return out
	}
	for _, e := range entries(n) {
		below := at.field(e.key.Value)
		switch {
		case e.key.Value == directive:
			m.directive(n, at)
		case m.removes(e.value, below):
			m.nothing(e.key, below, "", noNames)
		default:
			out.Content = append(out.Content, e.key, m.settled(e.value, below))
		}
	}
	return out
}

// instructs reports whether a value contains $patch, or a null that would remove a field.
func instructs(n *yaml.Node) bool {
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range entries(n) {
			if e.key.Value == directive || isNull(e.value) || instructs(e.value) {
				return true
			}
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if instructs(follow(item)) {
				return true
			}
		}
	}
	return false
}

// copied gives the copy of a node the place of the node.
func (m *merger) copied(from, to *yaml.Node) {
	to.Line = from.Line
	if file, ok := m.other[from]; ok {
		m.other[to] = file
	}
}
