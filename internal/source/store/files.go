package store

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

var (
	// ErrSymlink is the error for opening a symbolic link of a revision. Links are listed, with
	// fs.ModeSymlink, and never followed.
	ErrSymlink = errors.New("is a symbolic link, and links are not followed; commit the file itself")
	// ErrSubmodule is the error for opening a submodule of a revision. Submodules are listed, with
	// fs.ModeIrregular, and their content is never fetched.
	ErrSubmodule = errors.New("is a submodule, and submodules are not fetched; commit the files themselves")
)

// Files is a folder of a commit as a file system. The entries of folders are in memory. The content
// of a file is read when it is first needed, so its size can be checked before. Files is safe for
// concurrent use.
type Files struct {
	store   *Store
	made    map[plumbing.Hash][]byte // contents that are in no repository
	folders map[plumbing.Hash]*folder
	root    plumbing.Hash
	time    time.Time
}

// Files opens the folder root, after a check of every name below it. made has the objects that are
// in no repository. The argument at is the time of every entry.
func (s *Store) Files(ctx context.Context, root plumbing.Hash, made Made, at time.Time) (*Files, error) {
	r := folderReader{store: s, made: made.Trees, ctx: ctx, folders: map[plumbing.Hash]*folder{}}
	if _, err := r.read(root, "", 0); err != nil {
		return nil, err
	}
	return &Files{store: s, made: made.Files, folders: r.folders, root: root, time: at}, nil
}

// Intact reports whether the files can still be read, as far as that is known without reading them.
func (t *Files) Intact() bool { return t.store.Intact() }

const entryBytes = 128 // approximate memory of one entry

// Weight returns the approximate memory of the file system in bytes.
func (t *Files) Weight() (bytes int64) {
	for _, f := range t.folders {
		bytes += int64(entryBytes * len(f.entries))
	}
	for _, text := range t.made {
		bytes += int64(len(text))
	}
	return bytes
}

var (
	_ fs.ReadDirFS  = (*Files)(nil)
	_ fs.ReadFileFS = (*Files)(nil)
	_ fs.StatFS     = (*Files)(nil)
)

func (t *Files) find(op, name string) (*entry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	e := &entry{files: t, tree: object.TreeEntry{Name: ".", Mode: filemode.Dir, Hash: t.root}}
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
		e = &entry{files: t, tree: found}
	}
	return e, nil
}

// Open implements fs.FS. It opens files and folders, and returns [ErrSymlink] or [ErrSubmodule] for
// other entries.
func (t *Files) Open(name string) (fs.File, error) {
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

// Stat implements fs.StatFS. For a symbolic link, it describes the link itself.
func (t *Files) Stat(name string) (fs.FileInfo, error) {
	e, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return e.info(name)
}

// ReadDir implements fs.ReadDirFS.
func (t *Files) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !e.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: e.notFolder()}
	}
	return t.list(e), nil
}

// ReadFile implements fs.ReadFileFS.
func (t *Files) ReadFile(name string) ([]byte, error) {
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

func (t *Files) list(e *entry) []fs.DirEntry {
	entries := t.folders[e.tree.Hash].entries
	list := make([]fs.DirEntry, len(entries))
	for i := range entries {
		list[i] = &entry{files: t, tree: entries[i]}
	}
	return list
}
