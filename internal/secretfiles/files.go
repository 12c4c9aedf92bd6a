package secretfiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Files are the files that a stack reads: see [Files.Read].
type Files struct {
	Parts     []manifest.Part
	Selection manifest.Selection
	Values    []string // files with values, in the folder of the first part that has one
	Kustomize bool
}

// Read returns the documents and texts of all files, before anything is merged, so that a value is found even if another file replaces
// it. Files that are no manifests are left out. If there is an error, the list has what was read before. again are the parts for a second
// reader.
func (f Files) Read(ctx context.Context) (list []kustomize.Read, again []manifest.Part, err error) {
	r := fileReader{ctx: ctx, left: manifest.DefaultTotalBytes}
	again = slices.Clone(f.Parts)
	for i, part := range f.Parts {
		switch {
		case part.Files == nil:
			again[i].Text = bytes.NewReader(r.add(part.Name, part.Text, true))
		case !f.Kustomize:
			r.folder(part, f.Selection.Of(part.Files))
		}
	}
	if i := slices.IndexFunc(f.Parts, func(p manifest.Part) bool { return p.Files != nil }); i >= 0 {
		for _, name := range f.Values {
			r.open(f.Parts[i], name, false)
		}
	}
	if tree, ok := kustomize.TreeOf(f.Parts); ok && f.Kustomize {
		reads, err := kustomize.Reads(ctx, tree)
		r.list, r.failed = append(r.list, reads...), append(r.failed, err)
	}
	return r.list, again, errors.Join(r.failed...)
}

// fileReader reads files, up to a number of bytes.
type fileReader struct {
	ctx    context.Context
	left   int64
	list   []kustomize.Read
	failed []error
}

func (r *fileReader) fail(name string, err error) {
	r.failed = append(r.failed, fmt.Errorf("%s: %w", name, err))
}

// folder reads the manifests of a folder.
func (r *fileReader) folder(part manifest.Part, files fs.FS) {
	root := path.Clean(part.Folder)
	err := fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name != root && d != nil && d.IsDir():
			r.fail(path.Join(part.Name, name), err)
			return fs.SkipDir
		case err != nil:
			return err
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case d.IsDir() && name != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.Type().IsRegular() && manifest.Named(d.Name()):
			r.open(manifest.Part{Name: part.Name, Files: files}, name, true)
		}
		return nil
	})
	if err != nil {
		r.fail(part.Name, err)
	}
}

func (r *fileReader) open(part manifest.Part, name string, manifests bool) {
	shown := path.Join(part.Name, name)
	info, err := fs.Lstat(part.Files, name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		r.fail(shown, err)
		return
	}
	f, err := part.Files.Open(name)
	if err != nil {
		r.fail(shown, err)
		return
	}
	defer func() { _ = f.Close() }() // the file was only read
	r.add(shown, f, manifests)
}

// add reads one file, and returns its text. If manifests is true, only its manifests count.
func (r *fileReader) add(name string, from io.Reader, manifests bool) []byte {
	text, err := io.ReadAll(io.LimitReader(from, manifest.DefaultFileBytes+1))
	r.left -= int64(len(text))
	switch {
	case err != nil:
		r.fail(name, err)
		return text
	case len(text) > manifest.DefaultFileBytes || r.left < 0:
		r.fail(name, fmt.Errorf("is larger than %d MiB, or all files together are larger than %d MiB", manifest.DefaultFileBytes>>20, manifest.DefaultTotalBytes>>20))
		return text
	}
	roots, problems := manifest.Documents(name, text)
	if len(problems) > 0 {
		if !manifests || bytes.Contains(text, []byte("apiVersion")) {
			r.list = append(r.list, kustomize.Read{File: name, Text: text})
		}
		return text
	}
	if _, wrong := manifest.Seal(name, roots, &manifest.Effort{}); len(wrong) > 0 {
		r.failed = append(r.failed, wrong)
	}
	for _, root := range roots {
		if !manifests || head(root, "apiVersion") != "" && head(root, "kind") != "" {
			r.list = append(r.list, kustomize.Read{File: name, Root: root})
		}
	}
	return text
}

// head returns a text in the first level of a document.
func head(root *yaml.Node, name string) string {
	for key, value := range manifest.Entries(root) {
		if key.Value == name && value.Kind == yaml.ScalarNode {
			return value.Value
		}
	}
	return ""
}
