package kustomize

import (
	"context"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Read is a document or a file that a build reads, before anything is merged. Encrypted values are tokens: see [manifest.Seal].
type Read struct {
	File string     // as in problems
	Root *yaml.Node // of a resource or a patch; nil for a kustomization and for a file of a generator
	Text []byte     // of a file without Root
	// Target says which objects a patch changes; nil if the patch says it itself, and for a resource.
	Target *Selector
}

// Reads returns everything that the build of a tree reads, in the order of the files. It does not run kustomize. If there is an error, the
// list has what was read before.
func Reads(ctx context.Context, t Tree) (list []Read, err error) {
	c := newCompiler(ctx, t)
	_, _, err = c.compile()
	inFiles := map[*yaml.Node]bool{}
	targets := map[*yaml.Node]*Selector{}
	for _, k := range c.sources.kustomizations {
		for _, p := range k.patches {
			targets[p.root] = p.target
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.known)) {
		f := c.known[name]
		if f.documents == nil {
			list = append(list, Read{File: f.name, Text: f.text})
			continue
		}
		for _, root := range f.documents.roots {
			inFiles[root] = true
			list = append(list, Read{File: f.name, Root: root, Target: targets[root]})
		}
	}
	for _, k := range c.sources.kustomizations {
		for _, p := range k.patches {
			if !inFiles[p.root] {
				list = append(list, Read{File: p.file, Root: p.root, Target: p.target})
			}
		}
	}
	return list, err
}
