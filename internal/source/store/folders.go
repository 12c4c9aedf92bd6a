package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// folder is one tree that was checked. Its entries are sorted by name.
type folder struct {
	entries []object.TreeEntry
	below   int // number of entries below the folder, at all depths
	longest int // number of bytes of the longest path below the folder
}

func (f *folder) find(name string) (object.TreeEntry, bool) {
	i, ok := slices.BinarySearchFunc(f.entries, name, func(e object.TreeEntry, n string) int { return strings.Compare(e.Name, n) })
	if !ok {
		return object.TreeEntry{}, false
	}
	return f.entries[i], true
}

// folderReader reads every folder below root once. It refuses names that are not suitable for a
// file system, and trees that contain too many or too deep folders.
type folderReader struct {
	store   *Store
	made    map[plumbing.Hash]*object.Tree // trees that are in no repository
	ctx     context.Context
	folders map[plumbing.Hash]*folder
}

func (r *folderReader) read(h plumbing.Hash, path string, depth int) (*folder, error) {
	if f := r.folders[h]; f != nil {
		return f, nil
	}
	if depth > MaxTreeDepth {
		return nil, ErrTooDeep
	}
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	t, err := r.tree(h)
	if err != nil {
		return nil, err
	}
	f := &folder{entries: t.Entries, below: len(t.Entries)}
	slices.SortStableFunc(f.entries, func(a, b object.TreeEntry) int { return strings.Compare(a.Name, b.Name) })
	for i, e := range f.entries {
		if problem := NameProblem(e.Name); problem != "" {
			return nil, failure.New(failure.ErrContent, "the name %s in %q %s; remove it in a new commit", strconv.Quote(printable.Clip(e.Name, failure.MaxName)), printable.Clip(path, failure.MaxName), problem)
		}
		if i > 0 && f.entries[i-1].Name == e.Name {
			return nil, failure.New(failure.ErrContent, "the name %q is twice in %q; commit it again with git", printable.Clip(e.Name, failure.MaxName), printable.Clip(path, failure.MaxName))
		}
		if e.Mode == filemode.Dir {
			sub, err := r.read(e.Hash, path+e.Name+"/", depth+1)
			if err != nil {
				return nil, err
			}
			f.below += sub.below
			f.longest = max(f.longest, len(e.Name)+1+sub.longest)
		}
		if f.longest = max(f.longest, len(e.Name)); f.longest > maxPathBytes {
			return nil, failure.New(failure.ErrContent, "there are paths of more than %d bytes below %q; shorten them", maxPathBytes, printable.Clip(path, failure.MaxName))
		}
		if f.below > MaxEntries {
			return nil, failure.New(failure.ErrContent, "there are more than %d files below %q; set source.path to a smaller folder", MaxEntries, printable.Clip(path, failure.MaxName))
		}
	}
	r.folders[h] = f
	return f, nil
}

func (r *folderReader) tree(h plumbing.Hash) (*object.Tree, error) {
	if t := r.made[h]; t != nil {
		return t, nil
	}
	return r.store.Tree(h)
}

// steers reports whether a character moves a cursor, ends a line or changes the direction of text.
// Names of files and folders with such characters are refused, because plans, logs and comments show the names.
func steers(r rune) bool {
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r)
}

// NameProblem says why the name of a file or folder is not suitable for a file system or a terminal. It returns
// "" for a suitable name.
func NameProblem(name string) string {
	switch {
	case name == "" || name == "." || name == "..":
		return "points outside of its folder"
	case strings.EqualFold(name, ".git"):
		return "is Git's own"
	case strings.ContainsAny(name, "/\x00"):
		return "holds a slash or a NUL byte"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.ContainsFunc(name, steers):
		return "holds a control character"
	case len(name) > maxNameBytes:
		return "is too long"
	}
	return ""
}

// PrintablePath returns a path in a form that can be shown. The path is quoted if a name in it is
// not suitable for a file system or a terminal.
func PrintablePath(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		if NameProblem(part) != "" {
			return strconv.Quote(printable.Clip(path, failure.MaxName))
		}
	}
	return path
}
