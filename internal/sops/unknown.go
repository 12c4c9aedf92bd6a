package sops

import (
	"go.yaml.in/yaml/v3"
)

// unknownTag marks a value that was not decrypted. No file can contain this tag.
const unknownTag = "!\x00encrypted"

// IsUnknown reports whether a node stands for an encrypted value that was not decrypted. The text of the node is the
// encrypted text.
func IsUnknown(n *yaml.Node) bool { return n.Tag == unknownTag }

// Conceal marks the encrypted values as unknown. It is used where there are no keys.
func (f *File) Conceal() *Opened {
	for _, l := range f.leaves {
		conceal(l)
	}
	return &Opened{rule: f.meta.rule}
}

// MarkUnknown marks a node whose text was made of an encrypted value that was not decrypted.
func MarkUnknown(n *yaml.Node) { n.Tag, n.Style = unknownTag, 0 }

func conceal(l leaf) {
	if l.encrypted && l.node.Kind == yaml.ScalarNode && Looks(l.node.Value) {
		l.node.Tag = unknownTag
	}
}

// Unknown reports whether the values of the file were not decrypted.
func (o *Opened) Unknown() bool { return o != nil && o.key == nil }
