package kustomize

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

func (r *rewriter) patch(i int, p *Patch) {
	field, at := r.at("patches[%d]", i)
	var roots []*yaml.Node
	file := r.file
	switch {
	case p.Path != "" && p.Patch != "", p.Path == "" && p.Patch == "":
		r.refuse(at, field, "needs either path or patch", "remove one, or add one")
		return
	case p.Path != "":
		f, ok := r.patchFile(p.Path, field+".path")
		if !ok {
			return
		}
		documents := r.patchOf(f, at, field)
		if file, roots = f.name, documents.roots; documents.failed || !r.gain(0, len(documents.patch), at, field) {
			return
		}
		p.Path, p.Patch = "", string(documents.patch)
	default:
		if !r.gain(0, len(p.Patch), at, field) || !r.mayParse(len(p.Patch), at, field) {
			return
		}
		roots = r.inline(p.Patch, r.where(field+".patch"))
	}
	for _, root := range roots {
		r.kustomization.patches = append(r.kustomization.patches, patch{place: place{file: file, root: root}, target: p.Target})
	}
}

// patchFile reads the file that a patch names.
func (r *rewriter) patchFile(named, field string) (f *file, ok bool) {
	at := r.where(field)
	name, info, ok := r.find(r.dir, named, at, field)
	switch {
	case !ok:
		return nil, false
	case info.IsDir():
		r.refuse(at, field, "is a folder", "name a file")
		return nil, false
	}
	return r.read(name, at, field)
}

// patchOf returns the documents of a file with patches, and its text for kustomize.
func (r *rewriter) patchOf(f *file, at manifest.Origin, field string) *parsed {
	d := r.documentsOf(f, at, field)
	switch {
	case d.failed || d.patch != nil:
	case !d.encrypted:
		d.patch = f.text
	default:
		var ok bool
		d.patch, ok = r.together(f.name, d.roots)
		d.failed = !ok
	}
	return d
}

// together writes the documents of an encrypted patch, with tokens in place of its values.
func (r *rewriter) together(file string, roots []*yaml.Node) ([]byte, bool) {
	var text []byte
	for _, root := range roots {
		part, err := written(root)
		if err != nil {
			r.refuse(manifest.Origin{File: file, Line: root.Line}, "", "cannot be written again", "")
			return nil, false
		}
		text = append(append(text, "---\n"...), part...)
	}
	return text, true
}

// inline parses a patch in a kustomization. Its lines follow the line with its field.
func (r *rewriter) inline(text string, at manifest.Origin) []*yaml.Node {
	roots, problems := manifest.Documents(r.file, []byte(text))
	for _, p := range problems {
		p.Origin.Line += at.Line
		r.problems = append(r.problems, p)
	}
	for _, root := range roots {
		shift(root, at.Line)
	}
	return roots
}

func shift(n *yaml.Node, by int) {
	n.Line += by
	for _, c := range n.Content {
		shift(c, by)
	}
}

func (r *rewriter) replacements(list []Replacement) {
	for i, one := range list {
		_, origin := r.at("replacements[%d]", i)
		if one.Source != nil {
			r.noteSplit(one.Source.Options, "replacements[%d].source.options", i)
		}
		for j, target := range one.Targets {
			r.noteSplit(target.Options, "replacements[%d].targets[%d].options", i, j)
			for n, p := range target.FieldPaths {
				if len(p) > maxPath || strings.Count(p, ".") > maxSteps {
					field, at := r.at("replacements[%d].targets[%d].fieldPaths[%d]", i, j, n)
					r.refuse(at, field, fmt.Sprintf("a path with more than %d bytes or %d parts", maxPath, maxSteps), "write a shorter one")
					continue
				}
				r.kustomization.replaced.add(p, origin)
			}
		}
	}
}

// split is a field that divides or encodes values. kustomize would do this to a token, with another result than for its value.
type split struct {
	at    manifest.Origin
	field string
}

func (r *rewriter) noteSplit(o *FieldOptions, format string, args ...any) {
	if o != nil && (o.Delimiter != "" || o.Encoding != "") {
		field, at := r.at(format, args...)
		r.splits = append(r.splits, split{at, field})
	}
}

const (
	maxPath  = 1024
	maxSteps = 64
)
