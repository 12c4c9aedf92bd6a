package manifest

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/sops"
)

// checker walks a document as a decoder would, and follows aliases. It checks that the document is safe and unambiguous.
type checker struct {
	maxDepth, maxAliases, maxNodes int
	decrypted                      bool // the file was encrypted, so that a value may look encrypted

	nodes, aliases int
	open           map[*yaml.Node]bool // anchored nodes that are being walked
	problems       []Problem
	unsafe         bool // the document must not be decoded
}

func (c *checker) problem(line int, at *fieldPath, what, fix string) {
	c.unsafe = c.unsafe || len(c.problems) >= maxProblems
	c.problems = append(c.problems, Problem{Origin: Origin{Line: line}, Field: at.String(), What: what, Fix: fix})
}

func (c *checker) refuse(line int, at *fieldPath, what, fix string) {
	if !c.unsafe {
		c.unsafe = true
		c.problem(line, at, what, fix)
	}
}

func (c *checker) walk(n *yaml.Node, at *fieldPath, depth int) {
	if c.unsafe {
		return
	}
	c.nodes++
	switch {
	case c.nodes > c.maxNodes:
		c.refuse(n.Line, nil, fmt.Sprintf("more than %d values in one document, including the expanded aliases", c.maxNodes), "split the document")
		return
	case depth > c.maxDepth:
		c.refuse(n.Line, nil, fmt.Sprintf("nested deeper than %d levels", c.maxDepth), "flatten it")
		return
	}
	if n.Anchor != "" {
		c.enter(n)
		defer delete(c.open, n)
	}
	switch n.Kind {
	case yaml.AliasNode:
		c.alias(n, at, depth)
	case yaml.MappingNode:
		c.mapping(n, at, depth)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			c.walk(item, at.item(i), depth+1)
		}
	case yaml.ScalarNode:
		if !c.decrypted && sops.Looks(strings.TrimSpace(n.Value)) {
			c.problem(n.Line, at, "is encrypted with sops, but the document has no block sops with the keys", "write the value in clear text, and encrypt the file with: sops encrypt -i FILE")
		}
	}
	c.tag(n, at)
}

func (c *checker) alias(n *yaml.Node, at *fieldPath, depth int) {
	c.aliases++
	switch {
	case c.aliases > c.maxAliases:
		c.refuse(n.Line, nil, fmt.Sprintf("more than %d aliases, including aliases within aliases", c.maxAliases), "write the values out")
		return
	case c.open[n.Alias]:
		c.refuse(n.Line, at, fmt.Sprintf("the anchor &%s contains itself", clip(n.Value)), "write the value out")
		return
	}
	c.walk(n.Alias, at, depth)
}

func (c *checker) enter(n *yaml.Node) {
	if c.open == nil {
		c.open = map[*yaml.Node]bool{}
	}
	c.open[n] = true
}

func (c *checker) mapping(n *yaml.Node, at *fieldPath, depth int) {
	if at == nil {
		if second := secondObject(n); second != nil {
			c.refuse(second.Line, nil, "a second object begins here, within the first", "write --- on a line of its own before it")
			return
		}
	}
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content) && !c.unsafe; i += 2 {
		key, value := follow(n.Content[i]), n.Content[i+1]
		line := n.Content[i].Line
		if key.Kind != yaml.ScalarNode {
			c.refuse(line, at, "a key must be a string, found "+describe(key, false), "if {{ }} is a template, commit the rendered file or quote it")
			return
		}
		below := at.field(key.Value)
		if first, twice := seen[key.Value]; twice {
			c.problem(line, below, fmt.Sprintf("written twice, first on line %d", first), "keep one of the two")
		} else {
			seen[key.Value] = line
		}
		if n.Content[i].ShortTag() == tagMerge {
			c.merge(value, below)
		} else if t := typeOf(key); t != tagString {
			c.problem(line, below, "a key must be a string, found "+describe(key, false), "quote it: "+quote(key.Value))
		}
		c.walk(key, below, depth+1)
		c.walk(value, below, depth+1)
	}
}

// secondObject returns the key at which a second object begins in a mapping because a --- is missing before it. In such a
// mapping, apiVersion and kind occur twice.
func secondObject(n *yaml.Node) *yaml.Node {
	var versions, kinds []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch key := n.Content[i]; key.Value {
		case "apiVersion":
			versions = append(versions, key)
		case "kind":
			kinds = append(kinds, key)
		}
	}
	switch {
	case len(versions) < 2 || len(kinds) < 2:
		return nil
	case kinds[1].Line < versions[1].Line:
		return kinds[1]
	}
	return versions[1]
}

func (c *checker) merge(value *yaml.Node, at *fieldPath) {
	source := follow(value)
	if source.Kind == yaml.MappingNode {
		return
	}
	if source.Kind == yaml.SequenceNode {
		for _, item := range source.Content {
			if follow(item).Kind != yaml.MappingNode {
				c.refuse(item.Line, at, "<< merges mappings only, found "+describe(follow(item), true), "")
				return
			}
		}
		return
	}
	c.refuse(value.Line, at, "<< merges mappings only, found "+describe(source, true), "")
}

func (c *checker) tag(n *yaml.Node, at *fieldPath) {
	if n.Kind == yaml.AliasNode {
		return
	}
	switch n.ShortTag() {
	case tagNull, tagBool, tagInt, tagFloat, tagString, tagTimestamp, tagMerge, tagMap, tagSeq, "":
	default:
		if sops.IsUnknown(n) {
			return
		}
		// The message does not contain the value, because a password that begins with an exclamation mark looks like a tag.
		c.problem(n.Line, at, "a value that begins with ! is a YAML tag, and tags are not supported", "write the plain value, or quote it")
	}
}
