package child

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/stackreeve/stackreeve/internal/kustomize"
)

// build runs kustomize in this process, on files in memory.
func build(in kustomize.Input) (out kustomize.Output) {
	defer func() {
		if r := recover(); r != nil { // the library panics on some inputs
			out = kustomize.Output{Error: fmt.Sprintf("it gave up: %v", r)}
		}
	}()
	files := filesys.MakeFsInMemory()
	for name, text := range in.Files {
		if err := files.WriteFile(name, text); err != nil {
			return kustomize.Output{Error: err.Error()}
		}
	}
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsNone // the files in memory are all that it may read, and lie beside the folders
	made, err := krusty.MakeKustomizer(options).Run(files, in.Root)
	if err != nil {
		return kustomize.Output{Error: err.Error()}
	}
	documents := make([]kustomize.Document, made.Size())
	for i, r := range made.Resources() {
		if origin, err := r.GetOrigin(); err == nil && origin != nil {
			documents[i].From, documents[i].Generator = origin.Path, origin.Path == ""
			if documents[i].Generator {
				documents[i].From = path.Join(in.Root, origin.ConfiguredIn)
			}
		}
	}
	if err := made.RemoveOriginAnnotations(); err != nil {
		return kustomize.Output{Error: err.Error()}
	}
	for i, r := range made.Resources() {
		block(r.YNode())
		quote(r.YNode())
		text, err := r.RNode.String()
		if err != nil {
			return kustomize.Output{Error: err.Error()}
		}
		documents[i].Text = []byte(text)
	}
	return kustomize.Output{Documents: documents}
}

// block gives each value a line of its own, so that each has a place. A folded value may have more blank lines each time when it is written, so it
// gets another style.
func block(n *yaml.Node) {
	if n == nil {
		return
	}
	n.Style &^= yaml.FlowStyle | yaml.FoldedStyle
	for _, c := range n.Content {
		block(c)
	}
}

// quote puts quotes around the keys that YAML 1.1 reads as true or false. kustomize makes such keys of labels and of entries of a ConfigMap,
// which a reader of manifests would refuse.
func quote(n *yaml.Node) {
	if n == nil {
		return
	}
	for i, c := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0 && c.Kind == yaml.ScalarNode
		if isKey && c.Style == 0 && slices.Contains([]string{"y", "n", "yes", "no", "on", "off"}, strings.ToLower(c.Value)) {
			c.Style = yaml.DoubleQuotedStyle
		}
		quote(c)
	}
}
