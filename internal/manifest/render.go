package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Rendering says how documents are written.
type Rendering struct {
	// Origins is true if each value is followed by a comment with its place.
	Origins bool
	// Secrets is true if secrets are shown. Otherwise Hidden is written in their place.
	Secrets bool
	Hidden  string
	// Text is called with each string that is shown, and returns what is written. nil changes nothing.
	Text func(string) string
}

// Render returns the object's document, with the fields in their order. Layers are merged, aliases are written out, and
// comments are left out. body is the type of the document. It returns nil if the object has no document.
func (o *Object) Render(body Type, how Rendering) *yaml.Node {
	root := o.root()
	if root == nil {
		return nil
	}
	r := renderer{how, o}
	return r.node(root, valueType{typ: body, head: true}, nil)
}

type renderer struct {
	Rendering
	of *Object
}

func (r renderer) node(n *yaml.Node, s valueType, at *fieldPath) *yaml.Node {
	out := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style &^ yaml.FlowStyle}
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range entries(n) {
			if s.head && e.key.Value == "status" {
				continue
			}
			value := r.node(e.value, s.field(e.key.Value), at.field(e.key.Value))
			if r.Origins && len(value.Content) == 0 {
				r.comment(value, e.key)
			}
			out.Content = append(out.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: e.key.Tag, Value: e.key.Value, Style: e.key.Style}, value)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			value := r.node(follow(item), s.item(), at.item(i))
			if r.Origins && len(value.Content) == 0 {
				r.comment(value, item)
			}
			out.Content = append(out.Content, value)
		}
	case yaml.ScalarNode:
		r.scalar(out, s.rules.secret || Touches(r.of.making().encrypted, at.String()))
	}
	if len(out.Content) == 0 && n.Kind != yaml.ScalarNode {
		out.Style = yaml.FlowStyle
	}
	return out
}

func (r renderer) scalar(out *yaml.Node, secret bool) {
	shown := out.Value
	switch {
	case secret && !r.Secrets && !isNull(out):
		shown = r.Hidden
	case r.Text != nil:
		shown = r.Text(out.Value)
	}
	if shown != out.Value || !printable.Safe(shown) {
		out.Tag, out.Value, out.Style = tagString, shown, yaml.DoubleQuotedStyle
	}
}

// comment notes the place of a value. A text of several lines has the comment before it.
func (r renderer) comment(value, at *yaml.Node) {
	if value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		value.HeadComment = r.of.making().other.place(at, r.of.Origin.File).String()
		return
	}
	value.LineComment = r.of.making().other.place(at, r.of.Origin.File).String()
}
