package kustomize

import (
	"context"
	"fmt"
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

// TreeOf returns the tree of the folders among parts: the last one is the root, which may use the others. ok is false if there are no
// folders.
func TreeOf(parts []manifest.Part) (t Tree, ok bool) {
	for _, p := range parts {
		if p.Files == nil {
			continue
		}
		if !ok {
			t, ok = Tree{Files: p.Files, Name: p.Name}, true
		}
		t.Root = p.Folder
		t.Folders = append(t.Folders, path.Clean(p.Folder))
	}
	return t, ok
}

// Input is what kustomize reads. It is made of the files of a revision, but contains none of their names.
type Input struct {
	Files map[string][]byte // by the path in the file system of kustomize
	Root  string
}

// These are the limits of a build. They are lower than those of a load without kustomize, because a build gets a copy of every file.
const (
	maxFolders   = 500
	maxFiles     = 5_000
	maxFileBytes = manifest.DefaultFileBytes
	maxBytes     = 16 << 20
	maxDepth     = 20
	// maxDocuments and maxBuiltBytes limit the documents of a folder. Those of a folder below it count as often as the folder is named.
	maxDocuments  = 10_000
	maxBuiltBytes = 32 << 20
	// maxParsed limits the bytes that one compilation parses. Without aliases, it parses each byte of a file at most twice.
	maxParsed   = 3 * maxBytes
	maxProblems = 1000         // after which a compilation ends
	maxMade     = 2 * maxBytes // bytes of kustomizations that are written for kustomize
	// maxAliased limits the size of a kustomization with aliases. An alias can repeat the largest text of its file a thousand times.
	maxAliased = 16 << 10
)

// compiler makes an Input of a tree.
type compiler struct {
	Tree
	budget
	input    Input
	folders  map[string]*folder // by path in the tree; nil while the folder is being read
	open     []string           // the folders that are being read, the outermost first
	known    map[string]*file   // by path in the tree
	splits   []split
	sources  sources
	effort   manifest.Effort // of encrypted files
	problems manifest.Problems
}

// folder is a folder with a kustomization.
type folder struct {
	name      string // its path for kustomize
	documents int    // the documents that it gives, and their bytes
	bytes     int64
}

// compile checks every kustomization that the tree's root reaches, and returns what kustomize may read. Its error is a
// [manifest.Problems], or that of the context.
func compile(ctx context.Context, t Tree) (Input, sources, error) {
	return newCompiler(ctx, t).compile()
}

func newCompiler(ctx context.Context, t Tree) *compiler {
	return &compiler{Tree: t, budget: budget{mostParsed: maxParsed, ended: ctx.Err}, input: Input{Files: map[string][]byte{}}, folders: map[string]*folder{},
		known: map[string]*file{}, sources: sources{files: map[string]place{}, folders: map[string]string{}}}
}

func (c *compiler) compile() (Input, sources, error) {
	root := c.folder(path.Clean(c.Root), manifest.Origin{File: c.shown(path.Clean(c.Root))}, "")
	if len(c.sources.sealed) > 0 {
		for _, s := range c.splits {
			c.refuse(s.at, s.field, "divides or encodes a value, which is not supported beside encrypted files", "remove delimiter and encoding, and encrypt the whole value")
		}
	}
	switch {
	case c.err != nil:
		return Input{}, sources{}, fmt.Errorf("check the kustomization in %s: %w", c.shown(c.Root), c.err)
	case len(c.problems) >= maxProblems:
		c.refuse(manifest.Origin{File: c.shown(c.Root)}, "", fmt.Sprintf("gave up after %d problems", maxProblems), "correct these first")
	}
	if len(c.problems) > 0 || root == nil {
		return Input{}, sources{}, c.problems.Sorted()
	}
	c.input.Root = root.name
	c.input.Files[configuration] = encoded(nameReferences(c.References))
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
	case c.over():
		return nil
	case len(c.folders) >= maxFolders:
		c.stop(at, field, fmt.Sprintf("more than %d folders with a kustomization", maxFolders))
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
	read, ok := c.read(file, at, field)
	if !ok || !c.mayParse(len(read.text), at, field) {
		return nil
	}
	k, where, ok := c.parse(file, read.text)
	switch {
	case !ok:
		return nil
	case len(read.text) > maxAliased && hasAlias(read.text):
		c.refuse(manifest.Origin{File: c.shown(file)}, "", fmt.Sprintf("has aliases, and is larger than %d KiB", maxAliased>>10), "write the values out, or split the kustomization")
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
	text := encoded(k)
	if c.made += int64(len(text)); c.made > maxMade {
		c.stop(manifest.Origin{File: c.shown(file)}, "", fmt.Sprintf("more than %d MiB of kustomizations", maxMade>>20))
		return nil
	}
	c.input.Files[name] = text
	c.folders[dir] = f
	return f
}

// hasAlias reports whether a text that can be parsed has an alias.
func hasAlias(text []byte) bool {
	var has func(n *yaml.Node) bool
	has = func(n *yaml.Node) bool { return n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, has) }
	roots, _ := manifest.Documents("", text)
	return slices.ContainsFunc(roots, has)
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
