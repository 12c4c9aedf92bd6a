package kustomize

import (
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// configuration is the file with the fields that contain names of objects.
const configuration = "/references.yaml"

// rewriter replaces the paths in one kustomization by names of files that kustomize may read.
type rewriter struct {
	*compiler
	dir, file     string // the folder in the tree; the file of the kustomization for people
	folder        *folder
	where         func(field string) manifest.Origin
	kustomization kustomization // for the places of results
	listed        bool          // the kustomization has a list of resources, which can be empty
}

// at returns the place of a field in the kustomization.
func (r *rewriter) at(format string, args ...any) (field string, at manifest.Origin) {
	field = fmt.Sprintf(format, args...)
	return field, r.where(field)
}

// rewrite replaces the fields of a kustomization. It returns false after a problem.
func (r *rewriter) rewrite(k *Kustomization) bool {
	before := len(r.problems)
	r.kustomization = kustomization{file: r.file, folder: r.folder.name, fields: r.own("namePrefix", "nameSuffix", "namespace", "labels"), prefix: k.NamePrefix, suffix: k.NameSuffix}
	r.listed = k.Resources != nil
	var resources []string
	for i, named := range k.Resources {
		if r.over() {
			return false
		}
		resources = append(resources, r.resource(i, named)...)
	}
	k.Resources = resources
	for i, named := range k.Components {
		if r.over() {
			return false
		}
		field, at := r.at("components[%d]", i)
		if name, info, ok := r.find(r.dir, named, at, field); ok && !info.IsDir() {
			r.refuse(at, field, "is no folder with a kustomization", "write its path in resources")
		} else if ok {
			k.Components[i] = r.below(name, at, field)
		}
	}
	for i := range k.Patches {
		if r.over() {
			return false
		}
		r.patch(i, &k.Patches[i])
	}
	for i := range k.ConfigMapGenerator {
		if r.over() {
			return false
		}
		r.generator(i, &k.ConfigMapGenerator[i])
	}
	r.replacements(k.Replacements)
	k.BuildMetadata, k.Configurations = []string{"originAnnotations"}, []string{".." + configuration}
	return !r.over() && len(r.problems) == before
}

// gives refuses a kustomization that makes nothing, unless its list of resources is empty on purpose. A component may consist of patches.
func (r *rewriter) gives(k Kustomization) bool {
	if r.folder.documents > 0 || r.listed || k.Kind == "Component" {
		return true
	}
	r.refuse(r.where(""), "resources", "missing, and kustomize makes no object of the other fields, so all objects of its stack would be deleted",
		"restore the list of resources; or, to have all objects deleted, write resources: []")
	return false
}

// own returns the places of the fields that have a line of their own.
func (r *rewriter) own(fields ...string) map[string]manifest.Origin {
	places := map[string]manifest.Origin{}
	for _, field := range fields {
		if at := r.where(field); at.Line != 0 && at.Line != r.where("").Line {
			places[field] = at
		}
	}
	return places
}

// within checks how much the folder gives, and ends the compilation if it is too much. Folders that others name several times count several times.
func (r *rewriter) within(at manifest.Origin, field string) bool {
	switch {
	case max(r.folder.documents, r.budget.documents) > maxDocuments:
		r.stop(at, field, fmt.Sprintf("gives more than %d documents", maxDocuments))
	case max(r.folder.bytes, r.given) > maxBuiltBytes:
		r.stop(at, field, fmt.Sprintf("gives more than %d MiB of documents", maxBuiltBytes>>20))
	default:
		return true
	}
	return false
}

// gain counts documents of the kustomization itself, which have no folder of their own. It returns false if they are too much.
func (r *rewriter) gain(documents, bytes int, at manifest.Origin, field string) bool {
	r.budget.documents += documents
	r.given += int64(bytes)
	r.folder.documents += documents
	r.folder.bytes += int64(bytes)
	return r.within(at, field)
}

// resource returns the files or the folder for kustomize.
func (r *rewriter) resource(i int, named string) (files []string) {
	field, at := r.at("resources[%d]", i)
	name, info, ok := r.find(r.dir, named, at, field)
	switch {
	case !ok:
		return nil
	case info.IsDir():
		return []string{r.below(name, at, field)}
	}
	f, ok := r.read(name, at, field)
	if !ok {
		return nil
	}
	made := r.partsOf(f, at, field)
	if made.failed {
		return nil
	}
	for n, text := range made.texts {
		if !r.gain(1, len(text), at, field) {
			return nil
		}
		files = append(files, r.give(text, made.places[n]))
	}
	return files
}

// written returns a document as text with the same values. Two kinds of values would change when they are written: a folded value gets more
// blank lines, and a field in braces without a value becomes an empty text.
func written(root *yaml.Node) ([]byte, error) {
	var prepare func(n *yaml.Node)
	prepare = func(n *yaml.Node) {
		n.Style &^= yaml.FoldedStyle
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
			n.Value = "null"
		}
		for _, c := range n.Content {
			prepare(c)
		}
	}
	prepare(root)
	return yaml.Marshal(root)
}

// noResource returns the reason why a document is no resource.
func noResource(root *yaml.Node) (why, fix string) {
	have := map[string]bool{}
	for key := range manifest.Entries(root) {
		have[key.Value] = true
	}
	switch {
	case !have["apiVersion"] || !have["kind"]:
		return "a resource without apiVersion and kind", "write both, or give the path of a folder with a kustomization"
	}
	return "", ""
}

// give adds a file for kustomize, and returns its path for a kustomization.
func (r *rewriter) give(text []byte, from place) string {
	name := fmt.Sprintf("/file-%d-of-stack.yaml", len(r.input.Files))
	r.input.Files[name] = text
	r.sources.files[base(name)] = from
	return ".." + name
}

// below returns the path of another folder with a kustomization, and counts what it gives.
func (r *rewriter) below(name string, at manifest.Origin, field string) string {
	f := r.compiler.folder(name, at, field)
	if f == nil {
		return ""
	}
	r.folder.documents += f.documents
	r.folder.bytes += f.bytes
	r.within(at, field)
	return ".." + f.name
}

// generator replaces the paths of a generator. Files and their keys are checked as kustomize would.
func (r *rewriter) generator(i int, g *Generator) {
	field, at := r.at("configMapGenerator[%d]", i)
	r.kustomization.generators = append(r.kustomization.generators, generator{g.Name, at})
	if !r.gain(1, 0, at, field) {
		return
	}
	for j, source := range g.Files {
		if r.over() {
			return
		}
		key, named, keyed := strings.Cut(source, "=")
		if !keyed {
			key, named = path.Base(source), source
		}
		if !fileKey.MatchString(key) {
			r.refuse(at, fmt.Sprintf("%s.files[%d]", field, j), "has a key that cannot be one of a ConfigMap", "write KEY=PATH, with letters, digits, dots and dashes in KEY")
			continue
		}
		g.Files[j] = key + "=" + r.data(named, fmt.Sprintf("%s.files[%d]", field, j))
	}
	if g.Env != "" {
		g.Envs, g.Env = append(g.Envs, g.Env), ""
	}
	for j, named := range g.Envs {
		if r.over() {
			return
		}
		g.Envs[j] = r.data(named, fmt.Sprintf("%s.envs[%d]", field, j))
	}
}

var fileKey = pattern.Of(`^[-._a-zA-Z0-9]{1,253}$`)

// perMention is the number of bytes that each mention of a generator's file counts, so that a tree cannot name empty files without end.
const perMention = 256

// data returns the path of a file with the data of a ConfigMap.
func (r *rewriter) data(named, field string) string {
	at := r.where(field)
	name, info, ok := r.find(r.dir, named, at, field)
	if ok && info.IsDir() {
		r.refuse(at, field, "is a folder", "name its files")
		return ""
	} else if !ok {
		return ""
	}
	f, ok := r.read(name, at, field)
	if !ok {
		return ""
	}
	encrypted, ok := r.isEncrypted(f, at, field)
	if encrypted {
		r.refuse(at, field, "is encrypted with sops, and generators do not decrypt", "encrypt a manifest of the Secret or ConfigMap with sops, and name it in resources")
		return ""
	}
	if !ok || !r.gain(0, len(f.text)+perMention, at, field) {
		return ""
	}
	return r.give(f.text, place{file: f.name})
}
