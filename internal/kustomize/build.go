package kustomize

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Output is what kustomize made.
type Output struct {
	Documents []Document
	Error     string // the reason why it made nothing; "" if there is none
}

// Document is a document that kustomize made.
type Document struct {
	Text []byte
	// From is the file of the document that Text was made of. For a generated document, it is the file of the kustomization, and
	// Generator is true.
	From      string
	Generator bool
}

// Build runs kustomize. Its error says that kustomize could not be run, or broke its limits.
type Build func(context.Context, Input) (Output, error)

// Reference is a field of a kind with the name of an object of another kind.
type Reference struct {
	Group, Kind             string
	Path                    string // spec/resource/networkRef
	TargetGroup, TargetKind string
}

// Load returns the documents of a tree, and the encrypted files whose values they need. Its error is a [manifest.Problems] unless kustomize
// could not be run.
func Load(ctx context.Context, tree Tree, build Build) (made manifest.Part, err error) {
	made = manifest.Part{Name: tree.Name, Files: tree.Files}
	input, sources, err := compile(ctx, tree)
	if err != nil {
		return made, err
	}
	made.Sealed = sources.sealed
	made.Built, err = documents(ctx, tree, input, sources, build)
	return made, err
}

func documents(ctx context.Context, tree Tree, input Input, sources sources, build Build) ([]manifest.Built, error) {
	output, err := build(ctx, input)
	if err != nil {
		return nil, fmt.Errorf("build the kustomization in %s: %w", path.Join(tree.Name, tree.Root), err)
	}
	root := manifest.Origin{File: sources.folders[input.Root]}
	if output.Error != "" {
		text, first := sources.readable(output.Error)
		if first.file != "" {
			root = first.origin()
		}
		return nil, manifest.Problems{{Origin: root, What: "kustomize: " + strings.Join(strings.Fields(text), " ")}}
	}
	built := make([]manifest.Built, 0, len(output.Documents))
	search := newSearch(ctx, sources, maxComparisons)
	for _, d := range output.Documents {
		one, problem := search.built(d)
		if search.check(); search.err != nil {
			return nil, search.err
		}
		if problem != nil {
			problem.Origin = manifest.Origin{File: root.File, Line: problem.Origin.Line}
			return nil, manifest.Problems{*problem}
		}
		built = append(built, one)
	}
	return built, nil
}

// built returns a document with its places.
func (s *search) built(d Document) (manifest.Built, *manifest.Problem) {
	roots, problems := manifest.Documents("kustomize", d.Text)
	switch {
	case len(problems) > 0:
		return manifest.Built{}, &problems[0]
	case len(roots) != 1:
		return manifest.Built{}, &manifest.Problem{What: fmt.Sprintf("kustomize made %d documents of one", len(roots))}
	}
	from := s.files[base(d.From)]
	at := from.origin()
	if d.Generator {
		name := s.text(roots[0], "metadata", "name")
		for _, g := range s.generated[from.file].generators {
			if !s.spend(1 + len(name)/64) {
				break
			}
			if strings.Contains(name, g.name) {
				at = g.at
				break
			}
		}
		from = place{file: at.File, line: at.Line}
	}
	return manifest.Built{Text: d.Text, At: at, Places: s.locate(d.Text, roots[0], from, at), Name: s.text(from.root, "metadata", "name")}, nil
}

// nameReferences returns the references in the form of a configuration of kustomize.
func nameReferences(list []Reference) any {
	type fieldSpec struct {
		Group string `json:"group,omitempty"`
		Kind  string `json:"kind"`
		Path  string `json:"path"`
	}
	type target struct {
		Group  string      `json:"group,omitempty"`
		Kind   string      `json:"kind"`
		Fields []fieldSpec `json:"fieldSpecs"`
	}
	var targets []target
	for _, r := range list {
		i := slices.IndexFunc(targets, func(t target) bool { return t.Group == r.TargetGroup && t.Kind == r.TargetKind })
		if i < 0 {
			i = len(targets)
			targets = append(targets, target{Group: r.TargetGroup, Kind: r.TargetKind})
		}
		targets[i].Fields = append(targets[i].Fields, fieldSpec{r.Group, r.Kind, r.Path})
	}
	return map[string]any{"nameReference": targets}
}
