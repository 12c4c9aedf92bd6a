package manifest

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// list merges two lists whose elements are identified by a field. New elements follow the earlier ones.
func (m *merger) list(base, over *yaml.Node, s valueType, at *fieldPath) *yaml.Node {
	if i := replaces(over); i >= 0 {
		whole := &yaml.Node{Kind: over.Kind, Tag: over.Tag, Content: slices.Delete(slices.Clone(over.Content), i, i+1)}
		m.copied(over, whole)
		return m.settled(whole, at)
	}
	places, ok := m.places(base, s.rules.key, at)
	if _, good := m.places(over, s.rules.key, at); !ok || !good {
		return base
	}
	out := &yaml.Node{Kind: base.Kind, Tag: base.Tag, Content: slices.Clone(base.Content)}
	m.copied(base, out)
	for i, item := range over.Content {
		item = follow(item)
		name, below := keyOf(item, s.rules.key), at.item(i)
		place, both := places[name]
		deletes := m.directive(item, below) == directiveDelete
		switch {
		case deletes && both:
			out.Content[place] = nil
		case deletes:
			m.nothing(item, below, name, func() (known []string) {
				for _, one := range base.Content {
					known = append(known, keyOf(follow(one), s.rules.key))
				}
				return known
			})
		case both:
			out.Content[place] = m.value(follow(base.Content[place]), item, s.item(), below)
		default:
			out.Content = append(out.Content, m.settled(item, below))
		}
	}
	out.Content = slices.DeleteFunc(out.Content, func(n *yaml.Node) bool { return n == nil })
	return out
}

// places returns the indexes of a list's elements by their keys. It reports elements without a key, and keys that occur
// twice.
func (m *merger) places(list *yaml.Node, key string, at *fieldPath) (places map[string]int, ok bool) {
	places, ok = make(map[string]int, len(list.Content)), true
	for i, item := range list.Content {
		name := keyOf(follow(item), key)
		first, twice := places[name]
		switch {
		case name == "":
			m.problem(item, at.item(i), "has no "+key+", by which layers merge the elements of this list", "write its "+key+"; or add the element {"+directive+": "+directiveReplace+"}, so that the later list replaces the earlier one")
			ok = false
		case twice:
			m.problem(item, at.item(i).field(key), fmt.Sprintf("the same as in element %d, and layers merge the elements of this list by it", first), "change one of the two; or add the element {"+directive+": "+directiveReplace+"}, so that the later list replaces the earlier one")
			ok = false
		}
		places[name] = i
	}
	return places, ok
}

// keyOf returns the text of the field that identifies an element, or "".
func keyOf(item *yaml.Node, key string) string {
	if item.Kind != yaml.MappingNode {
		return ""
	}
	for _, e := range entries(item) {
		if e.key.Value == key && e.value.Kind == yaml.ScalarNode && !isNull(e.value) {
			return e.value.Value
		}
	}
	return ""
}

// replaces returns the index of the element {$patch: replace}, or -1.
func replaces(list *yaml.Node) int {
	return slices.IndexFunc(list.Content, func(item *yaml.Node) bool {
		item = follow(item)
		_, value := lookup(item, directive)
		return value != nil && value.Value == directiveReplace && len(item.Content) == 2
	})
}
