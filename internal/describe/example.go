package describe

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/stackreeve/stackreeve"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

var betweenDocuments = pattern.Of(`(?m)^---.*\n`)

// Example returns a manifest of the kind: the first one in the example
// repositories, or a manifest with the required fields of the kind.
func (d Kind) Example() (string, error) {
	for _, repository := range []string{"k-orc", "verda"} {
		files, err := stackreeve.Example(repository)
		if err != nil {
			return "", err
		}
		names, err := fs.Glob(files, "*.yaml")
		if err != nil {
			return "", fmt.Errorf("examples: %w", err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, path.Clean(name))
			if err != nil {
				return "", fmt.Errorf("examples: %w", err)
			}
			for _, doc := range betweenDocuments.Regexp().Split(string(text), -1) {
				if isOf(doc, d.GVK) {
					return strings.TrimSpace(doc) + "\n", nil
				}
			}
		}
	}
	return manifest.Sample(d.Body, d.GVK, "example")
}

func isOf(doc string, gvk manifest.GroupVersionKind) bool {
	return strings.Contains("\n"+doc, "\napiVersion: "+gvk.APIVersion()+"\n") && strings.Contains("\n"+doc, "\nkind: "+gvk.Kind+"\n")
}
