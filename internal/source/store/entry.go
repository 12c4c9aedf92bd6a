package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// entry is an entry of a tree, as an fs.DirEntry.
type entry struct {
	files *Files
	tree  object.TreeEntry
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
	i := info{name: e.tree.Name, mode: e.mode(), time: e.files.time}
	if !e.IsDir() && e.tree.Mode != filemode.Submodule {
		size, err := e.size()
		if err != nil {
			e.files.store.broken.Store(true)
			return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
		}
		i.size = size
	}
	return i, nil
}

func (e *entry) size() (int64, error) {
	if content, ok := e.files.made[e.tree.Hash]; ok {
		return int64(len(content)), nil
	}
	return e.files.store.Size(e.tree.Hash)
}

func (e *entry) content(name string) ([]byte, error) {
	if content, ok := e.files.made[e.tree.Hash]; ok {
		return slices.Clone(content), nil
	}
	content, err := e.files.store.Blob(e.tree.Hash)
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

// openFile is an open file. It reads the content at the first Read.
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
