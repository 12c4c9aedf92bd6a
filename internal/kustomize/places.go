package kustomize

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// place is a document of a file. root is nil for a file that is no YAML.
type place struct {
	file string
	line int
	root *yaml.Node
}

func (p place) origin() manifest.Origin { return manifest.Origin{File: p.file, Line: p.line} }

// sources are the files behind the names that kustomize sees.
type sources struct {
	files          map[string]place  // by the name of the file without its folder
	folders        map[string]string // by the path of the folder
	kustomizations []kustomization
}

// kustomization is what changes objects in one kustomization.
type kustomization struct {
	file, folder   string
	where          func(field string) manifest.Origin
	prefix, suffix string
	patches        []patch
	replaced       []replaced
	generators     []generator
}

type patch struct {
	place
	target *Selector
}

type replaced struct {
	paths []string
	at    manifest.Origin
}

type generator struct {
	name string
	at   manifest.Origin
}

// locator finds the places of the values in one result of kustomize.
//
//	value of the result                     place
//	a patch of the object sets it           the last such patch
//	a replacement names its path            the replacement
//	the resource has it, equal or changed   the resource
//	none of these                           what the value lies in; namePrefix, namespace or labels of a kustomization
type locator struct {
	sources
	from    place
	at      manifest.Origin
	patches []patch
	lines   []manifest.Origin
}

// locate returns the place of each line of a result.
func (s sources) locate(text []byte, root *yaml.Node, from place, at manifest.Origin) []manifest.Origin {
	l := &locator{sources: s, from: from, at: at, lines: make([]manifest.Origin, strings.Count(string(text), "\n")+1)}
	for _, k := range s.kustomizations {
		for _, p := range k.patches {
			if p.concerns(from.root) {
				l.patches = append(l.patches, p)
			}
		}
	}
	l.walk(root, nil, at)
	last := at
	for i := range l.lines {
		if l.lines[i].File == "" {
			l.lines[i] = last
		}
		last = l.lines[i]
	}
	return l.lines
}

func (l *locator) walk(n *yaml.Node, steps []string, within manifest.Origin) {
	visit := func(line int, value *yaml.Node, step string) {
		below := append(slices.Clip(steps), step)
		at := l.place(below, value, within)
		if line > 0 && line <= len(l.lines) && l.lines[line-1].File == "" {
			l.lines[line-1] = at
		}
		if value.Kind == yaml.ScalarNode && value.Line > 0 && value.Line <= len(l.lines) {
			l.lines[value.Line-1] = at
		}
		l.walk(value, below, at)
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			visit(n.Content[i].Line, n.Content[i+1], n.Content[i].Value)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			visit(item.Line, item, strconv.Itoa(i))
		}
	}
}

// place returns the place of a value in a result.
func (l *locator) place(steps []string, value *yaml.Node, within manifest.Origin) manifest.Origin {
	key, own := find(l.from.root, steps)
	resource := manifest.Origin{File: l.from.file}
	if key != nil {
		if resource.Line = key.Line; value.Kind != yaml.ScalarNode || equal(own, value) {
			return resource
		}
	}
	for _, p := range slices.Backward(l.patches) {
		if at, ok := p.sets(steps, value); ok {
			return at
		}
	}
	for _, k := range slices.Backward(l.kustomizations) {
		if at, ok := k.sets(steps, value); ok {
			return at
		}
	}
	if key != nil {
		return resource
	}
	return within
}

// find returns the key and the value at a path; nil if there is none. The key of an element is the element.
func find(n *yaml.Node, steps []string) (key, value *yaml.Node) {
	key, value = n, n
	for _, step := range steps {
		if value != nil && value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		if value == nil {
			return nil, nil
		}
		n, key = value, nil
		if n.Kind == yaml.SequenceNode {
			if i, err := strconv.Atoi(step); err == nil && i < len(n.Content) {
				key = n.Content[i]
				value = key
			}
		}
		for k, v := range manifest.Entries(n) {
			if k.Value == step {
				key, value = k, v
			}
		}
		if key == nil {
			return nil, nil
		}
	}
	return key, value
}

func equal(a, b *yaml.Node) bool {
	return a != nil && a.Kind == yaml.ScalarNode && b.Kind == yaml.ScalarNode && a.Value == b.Value
}

func text(n *yaml.Node, steps ...string) string {
	if _, value := find(n, steps); value != nil && value.Kind == yaml.ScalarNode {
		return value.Value
	}
	return ""
}

// concerns reports whether a patch may change a resource.
func (p patch) concerns(resource *yaml.Node) bool {
	kind, name := text(resource, "kind"), text(resource, "metadata", "name")
	if p.target == nil {
		return text(p.root, "kind") == kind && text(p.root, "metadata", "name") == name
	}
	matches := func(expression, text string) bool {
		re, err := regexp.Compile("^(?:" + expression + ")$")
		return expression == "" || err == nil && re.MatchString(text)
	}
	return matches(p.target.Kind, kind) && matches(p.target.Name, name)
}

// sets returns the place in a patch that gives a field its value.
func (p patch) sets(steps []string, value *yaml.Node) (at manifest.Origin, ok bool) {
	if p.root.Kind != yaml.SequenceNode {
		key, own := find(p.root, steps)
		if key == nil || value.Kind == yaml.ScalarNode && !equal(own, value) {
			return at, false
		}
		return manifest.Origin{File: p.file, Line: key.Line}, true
	}
	for _, operation := range slices.Backward(p.root.Content) {
		pointer := strings.Split(strings.TrimPrefix(text(operation, "path"), "/"), "/")
		for i, step := range pointer {
			pointer[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		}
		if len(pointer) > len(steps) || !same(pointer, steps[:len(pointer)]) {
			continue
		}
		key, own := find(operation, append([]string{"value"}, steps[len(pointer):]...))
		if key != nil && (value.Kind != yaml.ScalarNode || equal(own, value)) {
			return manifest.Origin{File: p.file, Line: key.Line}, true
		}
	}
	return at, false
}

// same compares a path with steps. The element - is appended to a list.
func same(pointer, steps []string) bool {
	for i, step := range pointer {
		if step != steps[i] && step != "-" && step != "*" {
			return false
		}
	}
	return true
}

// sets returns the place in a kustomization that gives a field its value without a patch.
func (k kustomization) sets(steps []string, value *yaml.Node) (at manifest.Origin, ok bool) {
	dotted := strings.Join(steps, ".")
	for _, r := range k.replaced {
		for _, p := range r.paths {
			if other := strings.Split(p, "."); p == dotted || len(other) == len(steps) && same(other, steps) {
				return r.at, true
			}
		}
	}
	field := ""
	switch {
	case dotted == "metadata.name" && k.prefix != "" && strings.HasPrefix(value.Value, k.prefix):
		field = "namePrefix"
	case dotted == "metadata.name" && k.suffix != "" && strings.HasSuffix(value.Value, k.suffix):
		field = "nameSuffix"
	case dotted == "metadata.namespace":
		field = "namespace"
	case len(steps) == 3 && steps[0] == "metadata" && steps[1] == "labels":
		field = "labels"
	}
	if at = k.where(field); field == "" || at.Line == 0 || at.Line == k.where("").Line {
		return at, false
	}
	return at, true
}
