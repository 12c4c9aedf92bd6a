package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

var (
	// ErrSymlink is what opening a symbolic link of a revision returns. Links
	// are listed, with fs.ModeSymlink, and never followed.
	ErrSymlink = errors.New("is a symbolic link, and links are not followed; commit the file itself")
	// ErrSubmodule is what opening a submodule returns. It is listed, with
	// fs.ModeIrregular, and its content is never fetched.
	ErrSubmodule = errors.New("is a submodule, and submodules are not fetched; commit the files themselves")
)

// treeFS is a tree of a commit as a file system. Folders are held in memory;
// a file's content is read when it is first asked for, so that its size can
// be looked at before.
type treeFS struct {
	store   *store
	made    map[plumbing.Hash][]byte // contents that are in no repository
	folders map[plumbing.Hash]*folder
	root    plumbing.Hash
	time    time.Time
}

var (
	_ fs.ReadDirFS  = (*treeFS)(nil)
	_ fs.ReadFileFS = (*treeFS)(nil)
	_ fs.StatFS     = (*treeFS)(nil)
)

func (t *treeFS) find(op, name string) (*entry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	e := &entry{fsys: t, tree: object.TreeEntry{Name: ".", Mode: filemode.Dir, Hash: t.root}}
	if name == "." {
		return e, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if e.tree.Mode != filemode.Dir {
			return nil, &fs.PathError{Op: op, Path: name, Err: e.notFolder()}
		}
		found, ok := t.folders[e.tree.Hash].find(part)
		if !ok {
			return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		e = &entry{fsys: t, tree: found}
	}
	return e, nil
}

func (t *treeFS) Open(name string) (fs.File, error) {
	e, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	if e.IsDir() {
		return &openFolder{entry: e, left: t.list(e)}, nil
	}
	if err := e.unreadable(); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{entry: e, name: name}, nil
}

// Stat does not follow a symbolic link: it describes the link.
func (t *treeFS) Stat(name string) (fs.FileInfo, error) {
	e, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return e.info(name)
}

func (t *treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !e.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: e.notFolder()}
	}
	return t.list(e), nil
}

func (t *treeFS) ReadFile(name string) ([]byte, error) {
	e, err := t.find("read", name)
	if err != nil {
		return nil, err
	}
	err = e.unreadable()
	if e.IsDir() {
		err = errors.New("is a folder")
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return e.content(name)
}

func (t *treeFS) list(e *entry) []fs.DirEntry {
	entries := t.folders[e.tree.Hash].entries
	list := make([]fs.DirEntry, len(entries))
	for i := range entries {
		list[i] = &entry{fsys: t, tree: entries[i]}
	}
	return list
}

// entry is a tree's entry: an fs.DirEntry.
type entry struct {
	fsys *treeFS
	tree object.TreeEntry
}

func (e *entry) Name() string               { return e.tree.Name }
func (e *entry) IsDir() bool                { return e.tree.Mode == filemode.Dir }
func (e *entry) Type() fs.FileMode          { return e.mode().Type() }
func (e *entry) Info() (fs.FileInfo, error) { return e.info(e.tree.Name) }
func (e *entry) String() string             { return fs.FormatDirEntry(e) }

func (e *entry) mode() fs.FileMode {
	switch e.tree.Mode {
	case filemode.Dir:
		return fs.ModeDir | 0o755
	case filemode.Executable:
		return 0o755
	case filemode.Symlink:
		return fs.ModeSymlink | 0o777
	case filemode.Submodule:
		return fs.ModeIrregular
	}
	return 0o644
}

func (e *entry) unreadable() error {
	switch e.tree.Mode {
	case filemode.Symlink:
		return ErrSymlink
	case filemode.Submodule:
		return ErrSubmodule
	}
	return nil
}

func (e *entry) notFolder() error {
	if err := e.unreadable(); err != nil {
		return err
	}
	return fs.ErrNotExist
}

func (e *entry) info(name string) (fs.FileInfo, error) {
	i := info{name: e.tree.Name, mode: e.mode(), time: e.fsys.time}
	if !e.IsDir() && e.tree.Mode != filemode.Submodule {
		size, err := e.size()
		if err != nil {
			e.fsys.store.broken.Store(true)
			return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
		}
		i.size = size
	}
	return i, nil
}

func (e *entry) size() (int64, error) {
	if content, ok := e.fsys.made[e.tree.Hash]; ok {
		return int64(len(content)), nil
	}
	return e.fsys.store.size(e.tree.Hash)
}

func (e *entry) content(name string) ([]byte, error) {
	if content, ok := e.fsys.made[e.tree.Hash]; ok {
		return slices.Clone(content), nil
	}
	content, err := e.fsys.store.blob(e.tree.Hash)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return content, nil
}

type info struct {
	name string
	size int64
	mode fs.FileMode
	time time.Time
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.time }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

// openFile reads its content at the first Read.
type openFile struct {
	entry  *entry
	name   string
	reader *bytes.Reader
	closed bool
}

func (f *openFile) Stat() (fs.FileInfo, error) {
	if f.closed {
		return nil, &fs.PathError{Op: "stat", Path: f.name, Err: fs.ErrClosed}
	}
	return f.entry.info(f.name)
}

func (f *openFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrClosed}
	}
	if f.reader == nil {
		content, err := f.entry.content(f.name)
		if err != nil {
			return 0, err
		}
		f.reader = bytes.NewReader(content)
	}
	return f.reader.Read(p)
}

func (f *openFile) Close() error {
	f.closed, f.reader = true, nil
	return nil
}

type openFolder struct {
	entry *entry
	left  []fs.DirEntry
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.entry.Info() }
func (f *openFolder) Close() error               { return nil }

func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.entry.Name(), Err: errors.New("is a folder")}
}

func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(f.left) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.left) {
		n = len(f.left)
	}
	list := f.left[:n:n]
	f.left = f.left[n:]
	return list, nil
}
