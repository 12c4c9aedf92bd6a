package kustomize

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// budget limits the work of one compilation, since kustomizations can name each file again and again.
type budget struct {
	bytes, parsed int64 // numbers of bytes that were read, and that were parsed
	made          int64 // bytes of kustomizations that were written
	mostParsed    int64
	// documents and given count the documents of all folders and their bytes, each folder once. The root gives at least as much.
	documents int
	given     int64
	stopped   bool
	ended     func() error
	err       error // of the context
}

// over reports whether the compilation has ended. It is asked before each file and each mention of one.
func (c *compiler) over() bool {
	if c.err == nil {
		c.err = c.ended()
	}
	return c.stopped || c.err != nil || len(c.problems) >= maxProblems
}

// stop refuses a tree that exceeds a limit, and ends the compilation.
func (c *compiler) stop(at manifest.Origin, field, what string) {
	c.refuse(at, field, what, "split the stack")
	c.stopped = true
}

// mayParse counts bytes before they are parsed. at is the place that names them.
func (c *compiler) mayParse(bytes int, at manifest.Origin, field string) bool {
	if c.over() {
		return false
	}
	if c.parsed+int64(bytes) > c.mostParsed {
		c.stop(at, field, fmt.Sprintf("more than %d MiB to parse, with the patches that aliases repeat", c.mostParsed>>20))
		return false
	}
	c.parsed += int64(bytes)
	return true
}

// file is a file of the tree, with what was found out about it once. Its problems were reported then.
type file struct {
	name      string // in problems
	text      []byte
	unread    bool // it could not be read
	documents *parsed
	parts     *parts
	encrypted *bool
}

// parsed are the documents of a file with resources or patches.
type parsed struct {
	roots     []*yaml.Node
	encrypted bool
	failed    bool
	patch     []byte // the text for kustomize, if a patch names the file
}

// parts are the documents of a file with resources, as files for kustomize.
type parts struct {
	texts  [][]byte
	places []place
	failed bool
}

// read returns a regular file in the tree. Each file is read once, and its problems are reported once.
func (c *compiler) read(name string, at manifest.Origin, field string) (f *file, ok bool) {
	if f, ok = c.known[name]; ok {
		return f, !f.unread
	}
	if c.over() {
		return nil, false
	}
	if len(c.known) >= maxFiles {
		c.stop(at, field, fmt.Sprintf("more than %d files", maxFiles))
		return nil, false
	}
	text, err := readFile(c.Files, name)
	f = &file{name: c.shown(name), text: text}
	c.known[name] = f
	switch c.bytes += int64(len(text)); {
	case errors.Is(err, errLarge):
		c.refuse(manifest.Origin{File: f.name}, "", fmt.Sprintf("larger than %d MiB", maxFileBytes>>20), "split it")
	case errors.Is(err, errIrregular):
		c.refuse(manifest.Origin{File: f.name}, "", "not a regular file", "put the file itself at this path")
	case err != nil:
		c.refuse(at, field, "the file "+f.name+" cannot be read", "")
	case c.bytes > maxBytes:
		c.stop(at, field, fmt.Sprintf("more than %d MiB of files", maxBytes>>20))
	default:
		return f, true
	}
	f.text, f.unread = nil, true
	return f, false
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

// documentsOf returns the documents of a file with resources or patches. Encrypted values become tokens. The nodes are shared by all mentions of the file.
func (c *compiler) documentsOf(f *file, at manifest.Origin, field string) *parsed {
	if f.documents != nil {
		return f.documents
	}
	if !c.mayParse(len(f.text), at, field) {
		return &parsed{failed: true}
	}
	f.documents = &parsed{}
	roots, problems := manifest.Documents(f.name, f.text)
	if len(problems) == 0 {
		f.documents.encrypted, problems = manifest.Seal(f.name, roots, &c.effort)
	}
	c.problems = append(c.problems, problems...)
	if f.documents.encrypted {
		c.sources.sealed = append(c.sources.sealed, manifest.SealedFile{Name: f.name, Text: f.text})
	}
	f.documents.roots, f.documents.failed = roots, len(problems) > 0
	return f.documents
}

// isEncrypted reports whether a file of a generator is encrypted.
func (c *compiler) isEncrypted(f *file, at manifest.Origin, field string) (encrypted, ok bool) {
	if f.encrypted == nil {
		if !c.mayParse(len(f.text), at, field) {
			return false, false
		}
		is := manifest.IsEncrypted(f.text)
		f.encrypted = &is
	}
	return *f.encrypted, true
}

// partsOf returns the documents of a file with resources. Each is a file of its own, so that each result names the document from which it comes.
func (r *rewriter) partsOf(f *file, at manifest.Origin, field string) *parts {
	if f.parts != nil {
		return f.parts
	}
	documents := r.documentsOf(f, at, field)
	made := &parts{failed: documents.failed}
	if f.documents != nil {
		f.parts = made
	}
	refuse := func(line int, what, fix string) *parts {
		r.refuse(manifest.Origin{File: f.name, Line: line}, "", what, fix)
		made.failed = true
		return made
	}
	if made.failed {
		return made
	}
	for _, root := range documents.roots {
		if why, fix := noResource(root); why != "" {
			return refuse(root.Line, why, fix)
		}
		text, err := written(root)
		if err != nil {
			return refuse(root.Line, "cannot be written again", "")
		}
		made.texts, made.places = append(made.texts, text), append(made.places, place{file: f.name, line: root.Line, root: root})
	}
	if len(made.texts) == 0 {
		return refuse(0, "has no manifest, and a kustomization names it as a resource", "restore the manifest; or, to have its objects deleted, remove the file from resources")
	}
	return made
}
