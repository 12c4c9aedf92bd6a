package kustomize

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Tree is a folder with a kustomization in the files of a revision.
type Tree struct {
	Files fs.FS
	Name  string // the place of Files in the repository, which precedes the names of files in problems
	// Root is the folder in Files with the kustomization. Folders are the folders that kustomizations may read. Without any, they
	// may read all files.
	Root    string
	Folders []string
	// References are the fields of kinds with the names of objects.
	References []Reference
}

// Input is what kustomize reads. It is made of the files of a revision, but contains none of their names.
type Input struct {
	Files map[string][]byte // by the path in the file system of kustomize
	Root  string
}

// The limits of a build. A build gets a copy of every file, so that they are lower than those of a load without kustomize.
const (
	maxFolders   = 500
	maxFiles     = 5_000
	maxFileBytes = manifest.DefaultFileBytes
	maxBytes     = 16 << 20
	maxDepth     = 20
	// maxDocuments and maxBuiltBytes apply to the documents of a folder, each as often as other folders name the folder.
	maxDocuments  = 10_000
	maxBuiltBytes = 32 << 20
)

// compiler makes an Input of a tree.
type compiler struct {
	Tree
	input    Input
	folders  map[string]*folder // by path in the tree; nil while the folder is being read
	open     []string           // the folders that are being read, the outermost first
	texts    map[string][]byte  // by path in the tree
	bytes    int64
	sealed   map[string]bool // the encrypted files
	splits   []split
	sources  sources
	problems manifest.Problems
}

// folder is a folder with a kustomization.
type folder struct {
	name      string // its path for kustomize
	documents int    // the documents that it gives, and their bytes
	bytes     int64
}

// compile checks every kustomization that the tree's root reaches, and returns what kustomize may read.
func compile(t Tree) (Input, sources, manifest.Problems) {
	c := &compiler{Tree: t, input: Input{Files: map[string][]byte{}}, folders: map[string]*folder{}, texts: map[string][]byte{}, sealed: map[string]bool{},
		sources: sources{files: map[string]place{}, folders: map[string]string{}}}
	root := c.folder(path.Clean(t.Root), manifest.Origin{File: c.shown(path.Clean(t.Root))}, "")
	if len(c.sealed) > 0 {
		for _, s := range c.splits {
			c.refuse(s.at, s.field, "divides or encodes a value, which is not supported beside encrypted files", "remove delimiter and encoding, and encrypt the whole value")
		}
	}
	if len(c.problems) > 0 || root == nil {
		return Input{}, sources{}, c.problems.Sorted()
	}
	c.input.Root = root.name
	c.input.Files[configuration] = encoded(nameReferences(t.References))
	return c.input, c.sources, nil
}

func (c *compiler) shown(name string) string { return path.Join(c.Name, name) }

func (c *compiler) refuse(at manifest.Origin, field, what, fix string) {
	c.problems = append(c.problems, manifest.Problem{Origin: at, Field: field, What: what, Fix: fix})
}

var names = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// folder reads the kustomization of a folder. at is the place that names the folder. It returns nil after a problem.
func (c *compiler) folder(dir string, at manifest.Origin, field string) *folder {
	if known, ok := c.folders[dir]; ok {
		if known == nil && slices.Contains(c.open, dir) {
			c.refuse(at, field, "leads back to "+c.shown(dir)+", in which it begins", "remove it")
		}
		return known
	}
	switch {
	case len(c.folders) >= maxFolders:
		c.refuse(at, field, fmt.Sprintf("more than %d folders with a kustomization", maxFolders), "split the stack")
		return nil
	case len(c.open) >= maxDepth:
		c.refuse(at, field, fmt.Sprintf("kustomizations nested deeper than %d", maxDepth), "flatten them")
		return nil
	}
	c.folders[dir] = nil
	c.open = append(c.open, dir)
	defer func() { c.open = c.open[:len(c.open)-1] }()
	file := c.kustomizationIn(dir, at, field)
	if file == "" {
		return nil
	}
	text, ok := c.read(file, at, field)
	if !ok {
		return nil
	}
	k, where, ok := c.parse(file, text)
	switch {
	case !ok:
		return nil
	case k.empty(): // as in kustomize, which will not see this form of it
		c.refuse(manifest.Origin{File: c.shown(file)}, "", "a kustomization without fields, of which kustomize makes nothing", "restore its fields; or, to have all objects deleted, write resources: []")
		return nil
	}
	f := &folder{name: fmt.Sprintf("/folder-%d-of-stack", len(c.folders))}
	one := &rewriter{compiler: c, dir: dir, file: c.shown(file), folder: f, where: where}
	if !one.rewrite(&k) || !one.gives(k) {
		return nil
	}
	c.sources.folders[f.name] = c.shown(dir)
	c.sources.kustomizations = append(c.sources.kustomizations, one.kustomization)
	name := f.name + "/kustomization.yaml"
	c.sources.files[base(name)] = place{file: c.shown(file)}
	c.input.Files[name] = encoded(k)
	c.folders[dir] = f
	return f
}

// kustomizationIn returns the file with the kustomization of a folder.
func (c *compiler) kustomizationIn(dir string, at manifest.Origin, field string) (file string) {
	for _, name := range names {
		name = path.Join(dir, name)
		if _, err := fs.Lstat(c.Files, name); err != nil {
			continue
		}
		if file != "" {
			c.refuse(manifest.Origin{File: c.shown(name)}, "", "a second kustomization beside "+path.Base(file), "keep one of the two")
			return ""
		}
		file = name
	}
	if file == "" {
		c.refuse(at, field, "the folder "+c.shown(dir)+" has no kustomization.yaml", "commit one, or name files of the folder")
	}
	return file
}

// parse reads the text of a kustomization, strictly.
func (c *compiler) parse(file string, text []byte) (k Kustomization, where func(string) manifest.Origin, ok bool) {
	where, problems := manifest.Settings(c.shown(file), text, &k)
	for _, p := range problems {
		name, _, _ := strings.Cut(strings.ReplaceAll(p.Field, "[", "."), ".")
		if what, fix, known := refused(name); known {
			p.What, p.Fix = what, fix
		}
		c.problems = append(c.problems, p)
	}
	return k, where, len(problems) == 0
}

// read returns the text of a regular file in the tree. Each file counts once.
func (c *compiler) read(name string, at manifest.Origin, field string) (text []byte, ok bool) {
	if text, ok = c.texts[name]; ok {
		return text, true
	}
	if len(c.texts) >= maxFiles {
		c.refuse(at, field, fmt.Sprintf("more than %d files", maxFiles), "split the stack")
		return nil, false
	}
	text, err := readFile(c.Files, name)
	switch c.bytes += int64(len(text)); {
	case errors.Is(err, errLarge):
		c.refuse(manifest.Origin{File: c.shown(name)}, "", fmt.Sprintf("larger than %d MiB", maxFileBytes>>20), "split it")
	case errors.Is(err, errIrregular):
		c.refuse(manifest.Origin{File: c.shown(name)}, "", "not a regular file", "put the file itself at this path")
	case err != nil:
		c.refuse(at, field, "the file "+c.shown(name)+" cannot be read", "")
	case c.bytes > maxBytes:
		c.refuse(at, field, fmt.Sprintf("more than %d MiB of files", maxBytes>>20), "split the stack")
	default:
		c.texts[name] = text
		return text, true
	}
	return nil, false
}

var (
	errLarge     = errors.New("too large")
	errIrregular = errors.New("not a regular file")
)

func readFile(files fs.FS, name string) ([]byte, error) {
	if info, err := fs.Lstat(files, name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errIrregular, err)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was only read
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if len(text) > maxFileBytes {
		return nil, errLarge
	}
	return text, err
}

// documents parses a file with resources or patches. Encrypted values become tokens. encrypted is true for a file that has some.
func (c *compiler) documents(file string, text []byte) (roots []*yaml.Node, encrypted bool) {
	roots, problems := manifest.Documents(file, text)
	if len(problems) == 0 {
		encrypted, problems = manifest.Seal(file, roots)
	}
	c.problems = append(c.problems, problems...)
	if encrypted && !c.sealed[file] {
		c.sealed[file] = true
		c.sources.sealed = append(c.sources.sealed, manifest.SealedFile{Name: file, Text: text})
	}
	return roots, encrypted
}
