package store

import (
	"cmp"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// Outline is a file system whose folders can be listed, and whose files cannot be read. Each folder is read when it is listed, so a damaged
// folder does not affect the others. A name that is not suitable for a file system is shown in quotes, and its folder is empty.
type Outline struct {
	store *Store
	root  plumbing.Hash
	left  *int // number of entries that may still be listed
}

// Outline returns the folders of a tree. Some of them may be missing in the store.
func (s *Store) Outline(root plumbing.Hash) Outline {
	left := MaxEntries
	return Outline{store: s, root: root, left: &left}
}

// Open implements fs.FS. It always returns an error.
func (Outline) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// Stat implements fs.StatFS. It describes only the root.
func (Outline) Stat(name string) (fs.FileInfo, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrPermission}
	}
	return outlined{name: ".", folder: true}, nil
}

// ReadDir implements fs.ReadDirFS.
func (o Outline) ReadDir(name string) (list []fs.DirEntry, err error) {
	at := o.root
	if name != "." {
		for part := range strings.SplitSeq(name, "/") {
			entries, err := o.entries(at)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(entries, func(e object.TreeEntry) bool {
				return e.Name == part && e.Mode == filemode.Dir && NameProblem(part) == ""
			})
			if i < 0 {
				return nil, nil // the name was quoted in the list, so its folder is empty
			}
			at = entries[i].Hash
		}
	}
	entries, err := o.entries(at)
	if err != nil {
		return nil, err
	}
	if *o.left -= len(entries); *o.left < 0 {
		return nil, failure.New(failure.ErrContent, "there are more than %d files and folders that the pattern does not match; use a more exact pattern", MaxEntries)
	}
	for _, e := range entries {
		shown := e.Name
		if NameProblem(shown) != "" {
			shown = strconv.Quote(printable.Clip(shown, failure.MaxName))
		}
		list = append(list, outlined{name: shown, folder: e.Mode == filemode.Dir})
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return slices.CompactFunc(list, func(a, b fs.DirEntry) bool { return a.Name() == b.Name() }), nil
}

func (o Outline) entries(at plumbing.Hash) ([]object.TreeEntry, error) {
	t, err := o.store.Tree(at)
	if err != nil {
		return nil, err
	}
	return t.Entries, nil
}

// outlined is an entry of an outline.
type outlined struct {
	name   string
	folder bool
}

func (e outlined) Name() string               { return e.name }
func (e outlined) IsDir() bool                { return e.folder }
func (e outlined) Type() fs.FileMode          { return e.Mode().Type() }
func (e outlined) Info() (fs.FileInfo, error) { return e, nil }
func (e outlined) Size() int64                { return 0 }
func (e outlined) ModTime() time.Time         { return time.Time{} }
func (e outlined) Sys() any                   { return nil }
func (e outlined) Mode() fs.FileMode {
	if e.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
