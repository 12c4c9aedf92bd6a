package kustomize

import (
	"context"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// maxComparisons limits the search for the places of all values of a build. Values after it have the place of their resource.
const maxComparisons = 50_000_000

// search finds values in the sources of one build. The numbers of values, patches and paths are the product of what
// strangers write, so the search ends after a number of comparisons, and with its context.
type search struct {
	sources
	patchIndex
	generated map[string]kustomization // by file
	fields    map[*yaml.Node]map[string]field
	left      int // comparisons
	ended     func() error
	err       error // of the context
}

// field is a field of a mapping.
type field struct{ key, value *yaml.Node }

func newSearch(ctx context.Context, from sources, most int) *search {
	s := &search{sources: from, generated: map[string]kustomization{}, fields: map[*yaml.Node]map[string]field{}, left: most, ended: ctx.Err}
	s.patchIndex = patchIndex{literal: map[wanted][]int{}, compiled: map[string]expression{}}
	for _, k := range from.kustomizations {
		s.generated[k.file] = k
		for _, p := range k.patches {
			s.add(p)
		}
	}
	s.check()
	return s
}

func (s *search) check() {
	if s.err == nil {
		s.err = s.ended()
	}
}

// spend counts comparisons of short texts. It returns false if the search is over.
func (s *search) spend(comparisons int) bool {
	const often = 16 // the context is read once in 2^16 comparisons
	before := s.left
	if s.left = max(s.left-comparisons, 0); s.left>>often != before>>often {
		s.check()
	}
	return !s.over()
}

func (s *search) over() bool { return s.left == 0 || s.err != nil }

// find returns the key and the value at a path, or nil if there is none. The key of an element is the element.
func (s *search) find(n *yaml.Node, steps []string) (key, value *yaml.Node) {
	key, value = n, n
	for _, step := range steps {
		if !s.spend(1 + len(step)/64) {
			return nil, nil
		}
		if key, value = s.below(value, step); key == nil {
			return nil, nil
		}
	}
	return key, value
}

// below returns a field or an element of a value. The fields of each mapping are listed once.
func (s *search) below(n *yaml.Node, step string) (key, value *yaml.Node) {
	if n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && 0 <= i && i < len(n.Content) {
			return n.Content[i], n.Content[i]
		}
	case n.Kind == yaml.MappingNode:
		fields, known := s.fields[n]
		if !known {
			fields = make(map[string]field, len(n.Content)/2)
			for k, v := range manifest.Entries(n) {
				fields[k.Value] = field{k, v}
			}
			s.fields[n] = fields
			s.spend(len(fields))
		}
		return fields[step].key, fields[step].value
	}
	return nil, nil
}

// text returns a scalar, also after the search.
func (s *search) text(n *yaml.Node, steps ...string) string {
	for _, step := range steps {
		_, n = s.below(n, step)
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}
