package kustomize

import (
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
	folders        map[string]string // the path in the repository, by the invented name of the folder
	kustomizations []kustomization
	sealed         []manifest.SealedFile // the encrypted files, of which kustomize gets copies with tokens
}

// kustomization is what changes objects in one kustomization.
type kustomization struct {
	file, folder   string
	fields         map[string]manifest.Origin // namePrefix, nameSuffix, namespace and labels, if each has a line of its own
	prefix, suffix string
	patches        []patch
	replaced       replaced
	generators     []generator
}

type patch struct {
	place
	target *Selector
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
	*search
	from    place
	at      manifest.Origin
	patches []indexed
	lines   []manifest.Origin
}

// locate returns the place of each line of a result.
func (s *search) locate(text []byte, root *yaml.Node, from place, at manifest.Origin) []manifest.Origin {
	l := &locator{search: s, from: from, at: at, lines: make([]manifest.Origin, strings.Count(string(text), "\n")+1)}
	for _, i := range s.concerning(from.root) {
		l.patches = append(l.patches, s.patches[i])
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

// place returns the place of a value in a result. It is that of the resource if the search has ended.
func (l *locator) place(steps []string, value *yaml.Node, within manifest.Origin) manifest.Origin {
	at := l.found(steps, value, within)
	if l.over() {
		return l.at
	}
	return at
}

func (l *locator) found(steps []string, value *yaml.Node, within manifest.Origin) manifest.Origin {
	key, own := l.find(l.from.root, steps)
	resource := manifest.Origin{File: l.from.file}
	if key != nil {
		if resource.Line = key.Line; value.Kind != yaml.ScalarNode || equal(own, value) {
			return resource
		}
	}
	for _, p := range slices.Backward(l.patches) {
		if at, ok := l.patched(p, steps, value); ok || l.over() {
			return at
		}
	}
	if at, ok := l.kustomized(steps, value); ok || l.over() {
		return at
	}
	if key != nil {
		return resource
	}
	return within
}

func equal(a, b *yaml.Node) bool {
	return a != nil && a.Kind == yaml.ScalarNode && b.Kind == yaml.ScalarNode && a.Value == b.Value
}

// kustomized returns the place in a kustomization that gives a field its value without a patch.
func (l *locator) kustomized(steps []string, value *yaml.Node) (at manifest.Origin, ok bool) {
	dotted := short(steps)
	for _, k := range slices.Backward(l.kustomizations) {
		if !l.spend(1) {
			return at, false
		}
		if at, ok := l.replaced(k.replaced, steps, dotted); ok {
			return at, true
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
		if at, ok := k.fields[field]; ok {
			return at, true
		}
	}
	return at, false
}
