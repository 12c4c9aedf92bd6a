package kustomize

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// patchIndex are the patches of all kustomizations, by the objects that they change.
type patchIndex struct {
	patches  []indexed
	literal  map[wanted][]int
	others   []int // those whose target has an expression
	compiled map[string]expression
}

// wanted are the kind and the name of the objects that a patch changes.
type wanted struct {
	kind, name       string
	anyKind, anyName bool
}

type indexed struct {
	patch
	operations []operation // of a JSON patch
}

// operation is an operation of a JSON patch.
type operation struct {
	*yaml.Node
	pointer []string
	cost    int
}

// expression is an expression of a selector. re is nil for one that cannot be read.
type expression struct {
	re   *regexp.Regexp
	size int
}

// maxPointer is the depth of documents: see [manifest.Options].
const maxPointer = 100

func (s *search) add(p patch) {
	i, one := len(s.patches), indexed{patch: p}
	if p.root.Kind == yaml.SequenceNode {
		unescape := strings.NewReplacer("~1", "/", "~0", "~")
		for _, n := range p.root.Content {
			text := strings.TrimPrefix(s.text(n, "path"), "/")
			if strings.Count(text, "/") >= maxPointer {
				continue
			}
			pointer := strings.Split(text, "/")
			for i, step := range pointer {
				pointer[i] = unescape.Replace(step)
			}
			one.operations = append(one.operations, operation{n, pointer, 1 + len(text)/32})
		}
	}
	s.patches = append(s.patches, one)
	isLiteral := func(text string) bool { return regexp.QuoteMeta(text) == text }
	switch t := p.target; {
	case t == nil:
		w := wanted{kind: s.text(p.root, "kind"), name: s.text(p.root, "metadata", "name")}
		s.literal[w] = append(s.literal[w], i)
	case isLiteral(t.Kind) && isLiteral(t.Name):
		w := wanted{t.Kind, t.Name, t.Kind == "", t.Name == ""}
		s.literal[w] = append(s.literal[w], i)
	default:
		s.others = append(s.others, i)
	}
}

// concerning returns the patches that may change a resource, in their order.
func (s *search) concerning(resource *yaml.Node) (found []int) {
	if s.over() {
		return nil
	}
	kind, name := s.text(resource, "kind"), s.text(resource, "metadata", "name")
	for _, w := range []wanted{{kind: kind, name: name}, {kind: kind, anyName: true}, {name: name, anyKind: true}, {anyKind: true, anyName: true}} {
		found = append(found, s.literal[w]...)
	}
	s.spend(len(found))
	for _, i := range s.others {
		if !s.spend(1) {
			return nil
		}
		if t := s.patches[i].target; s.matches(t.Kind, kind) && s.matches(t.Name, name) {
			found = append(found, i)
		}
	}
	slices.Sort(found)
	return found
}

// matches reports whether an expression of a selector describes a whole text. Each expression is compiled once.
func (s *search) matches(text, of string) bool {
	if text == "" {
		return true
	}
	e, known := s.compiled[text]
	if !known {
		e = s.compile("^(?:" + text + ")$")
		s.compiled[text] = e
	}
	return s.spend(4+e.size*(len(of)+1)/4) && e.re != nil && e.re.MatchString(of)
}

// compile compiles an expression. It first counts comparisons for its size, since a few bytes can repeat others a thousand times.
func (s *search) compile(text string) expression {
	const each = 100 // comparisons for an instruction, in time and memory
	size, err := pattern.Weight(text)
	if err != nil || !s.spend(each*size) {
		return expression{}
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return expression{}
	}
	return expression{re, size}
}

// patched returns the place in a patch that gives a field its value.
func (s *search) patched(p indexed, steps []string, value *yaml.Node) (at manifest.Origin, ok bool) {
	if p.root.Kind != yaml.SequenceNode {
		key, own := s.find(p.root, steps)
		if key == nil || value.Kind == yaml.ScalarNode && !equal(own, value) {
			return at, false
		}
		return manifest.Origin{File: p.file, Line: key.Line}, true
	}
	for _, o := range slices.Backward(p.operations) {
		if !s.spend(o.cost) {
			return at, false
		}
		if len(o.pointer) > len(steps) || !same(o.pointer, steps[:len(o.pointer)]) {
			continue
		}
		key, own := s.find(o.Node, append([]string{"value"}, steps[len(o.pointer):]...))
		if key != nil && (value.Kind != yaml.ScalarNode || equal(own, value)) {
			return manifest.Origin{File: p.file, Line: key.Line}, true
		}
	}
	return at, false
}

// same reports whether a path names steps. In a path, - is an element that is appended to a list, and * is any element.
func same(pointer, steps []string) bool {
	for i, step := range pointer {
		if step != steps[i] && step != "-" && step != "*" {
			return false
		}
	}
	return true
}
