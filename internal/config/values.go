package config

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Values returns the values that are put into the stack's manifests.
func (s *Stack) Values() resolve.Values {
	v := resolve.Values{Inline: s.Spec.Source.Values, Where: s.Where}
	for _, from := range s.Spec.Source.ValuesFrom {
		source := resolve.ValueSource{ConfigMap: from.ConfigMap, Secret: from.Secret}
		if from.File != "" {
			source.File = within(s.Root(), path.Join(s.Spec.Source.Path, from.File))
		}
		v.From = append(v.From, source)
	}
	return v
}

// within returns a path in the repository as a path below a folder.
func within(folder, name string) string {
	if folder == "" || folder == "." {
		return name
	}
	return strings.TrimPrefix(name, path.Clean(folder)+"/")
}

func (s *Source) checkValues(add func(field, what string)) {
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		switch {
		case !manifest.ValueName.MatchString(name):
			add("spec.source.values."+name, fmt.Sprintf("%q cannot be the name of a value; use letters, digits and underscores, and begin with a letter or underscore", name))
		case len(s.Values[name]) > manifest.MaxValue:
			add("spec.source.values."+name, fmt.Sprintf("is longer than %d bytes; use a ConfigMap for large texts", manifest.MaxValue))
		}
	}
	for i, from := range s.ValuesFrom {
		field := fmt.Sprintf("spec.source.valuesFrom[%d]", i)
		set := 0
		for _, text := range []string{from.File, from.ConfigMap, from.Secret} {
			if text != "" {
				set++
			}
		}
		if set != 1 {
			add(field, "needs exactly one of file, configMap and secret; remove the others, or add one")
		}
		at := path.Join(s.Path, from.File)
		if from.File != "" && s.Paths == "" && (path.IsAbs(from.File) || !s.reads(at)) {
			add(field+".file", fmt.Sprintf("%q is not in the folder of the manifests, or in one of overlays; move it there", from.File))
		}
	}
}

// reads reports whether a path of the repository is in a folder that the stack reads.
func (s *Source) reads(name string) bool {
	if !s.layered() {
		return contains(path.Join(".", s.Path), name) && name != ".." && !strings.HasPrefix(name, "../")
	}
	return slices.ContainsFunc(s.Overlays, func(overlay string) bool { return contains(path.Join(s.Path, overlay), name) })
}
