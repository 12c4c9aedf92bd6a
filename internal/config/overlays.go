package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Root returns the folder of the repository that contains everything which the stack reads.
func (s *Stack) Root() string { return s.Spec.Source.root() }

// Layers returns the folders below [Stack.Root] that are merged into one another, the first one first. It returns nil if
// the stack has no overlays.
func (s *Stack) Layers() []string { return s.Spec.Source.layers() }

// layered reports whether there are overlays. Those of a document with paths belong to the stacks that are made of it.
func (s *Source) layered() bool { return len(s.Overlays) > 0 && s.Paths == "" }

func (s *Source) root() string {
	if !s.layered() {
		return s.Path
	}
	root, _ := s.split()
	return root
}

func (s *Source) layers() []string {
	if !s.layered() {
		return nil
	}
	_, layers := s.split()
	return layers
}

// split returns the deepest folder that contains all overlays, and their paths below it.
func (s *Source) split() (root string, layers []string) {
	root = path.Join(s.Path, s.Overlays[0])
	for _, overlay := range s.Overlays[1:] {
		for !contains(root, path.Join(s.Path, overlay)) {
			root = path.Dir(root)
		}
	}
	for _, overlay := range s.Overlays {
		full := path.Join(s.Path, overlay)
		if root != "." && root != full {
			full = strings.TrimPrefix(full, root+"/")
		}
		if root == path.Join(s.Path, overlay) {
			full = "."
		}
		layers = append(layers, full)
	}
	return root, layers
}

// contains reports whether a path is a folder, or lies in it.
func contains(folder, name string) bool {
	return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
}

// checkOverlays reports folders outside of the repository, and folders that lie in one another.
func (s *Source) checkOverlays(add func(field, what string)) {
	full := func(overlay string) string { return path.Join(cmp.Or(s.Path, s.Paths), overlay) }
	for i, overlay := range s.Overlays {
		field := fmt.Sprintf("spec.source.overlays[%d]", i)
		at := full(overlay)
		if path.IsAbs(overlay) || at == ".." || strings.HasPrefix(at, "../") {
			add(field, fmt.Sprintf("%q leads out of the repository; write a folder relative to source.path, such as ../base", overlay))
			continue
		}
		inOther := func(other string) bool { return contains(full(other), at) || contains(at, full(other)) }
		if j := slices.IndexFunc(s.Overlays[:i], inOther); j >= 0 {
			add(field, fmt.Sprintf("%q and %q lie in one another, so that manifests would be read twice; give each layer a folder of its own", overlay, s.Overlays[j]))
		}
	}
}

// ReadFolders does the same as [ReadFolder] for several folders in files.
func ReadFolders(files fs.FS, folders []string) (policies []plan.Policy, err error) {
	if len(folders) == 0 {
		return ReadFolder(files)
	}
	var problems manifest.Problems
	for _, folder := range folders {
		below, err := fs.Sub(files, folder)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", folder, err)
		}
		some, err := ReadFolder(below)
		var wrong manifest.Problems
		if err != nil && !errors.As(err, &wrong) {
			return nil, err
		}
		for _, p := range wrong {
			p.Origin.File = path.Join(folder, p.Origin.File)
			problems = append(problems, p)
		}
		policies = append(policies, some...)
	}
	return policies, problems.Sorted().Err()
}
