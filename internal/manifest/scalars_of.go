package manifest

import "go.yaml.in/yaml/v3"

// Scalar is a value of a document that was not merged with others and was not decoded.
type Scalar struct {
	Field  string
	Text   string
	Line   int  // of the key of the value, or of the element of a list
	Secret bool // the rules of the document's type say that nobody may see it
}

// Scalars calls visit with each value of a document that [Documents] returned, in order. Aliases are followed. The document may be a part
// of one, such as a patch. body is the type of the whole document; it may be zero.
func Scalars(root *yaml.Node, body Type, visit func(Scalar)) {
	scalarsOf(root, root.Line, valueType{typ: body, head: true}, nil, visit)
}

func scalarsOf(n *yaml.Node, line int, s valueType, at *fieldPath, visit func(Scalar)) {
	n = follow(n)
	below := func(next valueType) valueType {
		next.rules.secret = next.rules.secret || s.rules.secret
		return next
	}
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range entries(n) {
			scalarsOf(e.value, e.key.Line, below(s.field(e.key.Value)), at.field(e.key.Value), visit)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			scalarsOf(item, item.Line, below(s.item()), at.item(i), visit)
		}
	case yaml.ScalarNode:
		if !isNull(n) {
			visit(Scalar{at.String(), n.Value, line, s.rules.secret})
		}
	}
}
