package manifest

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	tagNull      = "!!null"
	tagBool      = "!!bool"
	tagInt       = "!!int"
	tagFloat     = "!!float"
	tagString    = "!!str"
	tagTimestamp = "!!timestamp"
	tagMerge     = "!!merge"
	tagMap       = "!!map"
	tagSeq       = "!!seq"
)

// entry is one key of a mapping, after aliases were followed and merges resolved.
type entry struct {
	key, value *yaml.Node
}

// follow returns the node that an alias refers to, and any other node unchanged. The parser never makes an alias of an
// alias.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// entries returns the keys of a mapping in order. Keys merged by "<<" come after the mapping's own keys, which have
// precedence. checker.walk must have accepted the node.
func entries(n *yaml.Node) []entry {
	own := make([]entry, 0, len(n.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], follow(n.Content[i+1])
		if key.Kind == yaml.ScalarNode && key.ShortTag() == tagMerge {
			merged = append(merged, value)
			continue
		}
		own = append(own, entry{follow(key), value})
	}
	if merged == nil {
		return own
	}
	return mergeEntries(own, merged)
}

func mergeEntries(own []entry, merged []*yaml.Node) []entry {
	seen := make(map[string]bool, len(own))
	for _, e := range own {
		seen[e.key.Value] = true
	}
	for _, m := range merged {
		sources := []*yaml.Node{m}
		if m.Kind == yaml.SequenceNode {
			sources = m.Content
		}
		for _, source := range sources {
			for _, e := range entries(follow(source)) {
				if !seen[e.key.Value] {
					seen[e.key.Value] = true
					own = append(own, e)
				}
			}
		}
	}
	return own
}

// lookup finds a key of the mapping itself, without merges. It may be called with a node that is not checked yet.
func lookup(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Value == name {
			return k, follow(n.Content[i+1])
		}
	}
	return nil, nil
}

// typeOf returns the type of a scalar as kubectl reads it, which follows YAML 1.1. An unquoted yes, no, on, off, y or n is
// a boolean. A date is a string.
func typeOf(n *yaml.Node) string {
	tag := n.ShortTag()
	switch {
	case tag == tagTimestamp:
		return tagString
	case tag == tagString && n.Style == 0 && printable.OldBool(n.Value):
		return tagBool
	}
	return tag
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == tagNull }

func parseBool(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "y":
		return true
	}
	return false
}

// describe describes a node for a person, such as "the number 80". With hide, the value is left out.
func describe(n *yaml.Node, hide bool) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	name, article := "string", "a"
	switch typeOf(n) {
	case tagNull:
		return "nothing"
	case tagBool:
		name = "boolean"
	case tagInt:
		name = "number"
	case tagFloat:
		name = "number"
	case tagString:
		if hide {
			return "a string"
		}
		return "the string " + quote(n.Value)
	}
	if hide {
		return article + " " + name
	}
	return "the " + name + " " + clip(n.Value)
}

func quote(s string) string { return strconv.Quote(clip(s)) }

// clip shortens a text of any length, so that a message stays readable.
func clip(s string) string {
	s = printable.Clip(s, 64)
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		quoted := strconv.Quote(s)
		return quoted[1 : len(quoted)-1]
	}
	return s
}
