package config

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Selection returns which files of the stack's folder are read.
func (s *Stack) Selection() manifest.Selection {
	return manifest.Selection{Include: s.Spec.Source.Include, Exclude: s.Spec.Source.Exclude, Folders: s.Layers()}
}

// checkSelection reports invalid patterns.
func (s *Source) checkSelection(add func(field, what string)) {
	if s.Kustomize && len(s.Include)+len(s.Exclude) > 0 {
		add("spec.source.kustomize", "the kustomization decides which files are read; remove include and exclude")
	}
	for _, list := range []struct {
		field    string
		patterns []string
	}{{"include", s.Include}, {"exclude", s.Exclude}} {
		for i, pattern := range list.patterns {
			if why := manifest.NoPattern(pattern); why != "" {
				add(fmt.Sprintf("spec.source.%s[%d]", list.field, i), fmt.Sprintf("%q %s", pattern, why))
			}
		}
	}
}
