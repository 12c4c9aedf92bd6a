package manifest

import (
	"slices"
	"strings"
)

// plainKustomization lists those fields of a kustomization that change no manifest of its folder.
var plainKustomization = []string{"apiVersion", "kind", "metadata", "resources", "bases", "sortOptions"}

// kustomization ignores a kustomization file, and reports those of its fields that would change manifests.
func (l *loader) kustomization(name string) {
	why := "kustomization files are not read"
	if text, ok := l.readFile(name); ok {
		if fields := l.changing(text); len(fields) > 0 {
			why += ", so that " + strings.Join(fields, ", ") + " has no effect here: set spec.source.kustomize, or commit the output of `kustomize build`"
		}
	}
	l.ignore(Origin{File: name}, why)
}

func (l *loader) changing(text []byte) (fields []string) {
	for _, c := range split(text, 1) {
		for _, d := range l.parser.parse("kustomization.yaml", c) {
			if d.root == nil {
				continue
			}
			for i := 0; i+1 < len(d.root.Content); i += 2 {
				if key := d.root.Content[i].Value; !slices.Contains(plainKustomization, key) {
					fields = append(fields, clip(key))
				}
			}
		}
	}
	return fields
}
