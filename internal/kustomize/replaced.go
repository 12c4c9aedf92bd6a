package kustomize

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// replaced are the paths of the replacements in a kustomization. The first replacement with a path counts.
type replaced struct {
	exact map[string]destination
	masks map[int][]destination // those with * or -, by the number of their steps
}

// destination is a path to which a replacement copies a value.
type destination struct {
	order int
	steps []string // of a mask
	at    manifest.Origin
}

func (r *replaced) add(path string, at manifest.Origin) {
	if path == "" {
		return
	}
	if r.exact == nil {
		*r = replaced{map[string]destination{}, map[int][]destination{}}
	}
	if _, known := r.exact[path]; known {
		return
	}
	d := destination{order: len(r.exact), at: at}
	r.exact[path] = d
	d.steps = strings.Split(path, ".")
	if slices.Contains(d.steps, "*") || slices.Contains(d.steps, "-") {
		r.masks[len(d.steps)] = append(r.masks[len(d.steps)], d)
	}
}

// replaced returns the place of the first replacement with a path.
func (s *search) replaced(r replaced, steps []string, dotted string) (at manifest.Origin, ok bool) {
	first, ok := r.exact[dotted]
	for _, d := range r.masks[len(steps)] {
		if ok && first.order < d.order || !s.spend(1+len(steps)/4) {
			break
		}
		if same(d.steps, steps) {
			return d.at, true
		}
	}
	return first.at, ok
}

// short returns a path as kustomizations write it; "" for a path that is longer than those can be.
func short(steps []string) string {
	size := len(steps)
	for _, step := range steps {
		size += len(step)
	}
	if size > maxPath+1 {
		return ""
	}
	return strings.Join(steps, ".")
}
