package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

const (
	maxTreeDepth = 128
	maxEntries   = 200_000 // files and folders below the path, counted where they appear
	maxNameBytes = 1024
	maxPathBytes = 4096     // from the configured folder; what file systems take
	maxTreeBytes = 32 << 20 // one folder's entries
	maxTextBytes = 4 << 20  // a commit or a tag
)

var errTooDeep = fail(ErrContent, "folders are nested deeper than %d", maxTreeDepth)

// errIncomplete says that an object which a commit needs is not in the store.
var errIncomplete = errors.New("object missing from the store")

// commit reads a commit, through an annotated tag if h is one.
func (s *store) commit(h plumbing.Hash) (*object.Commit, error) {
	for range 8 {
		o, err := s.object(plumbing.AnyObject, h)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errIncomplete, h, err)
		}
		if err := checkSize(o.Type(), h, o.Size()); err != nil {
			return nil, err
		}
		switch o.Type() {
		case plumbing.CommitObject:
			c, err := object.DecodeCommit(nil, o)
			if err != nil {
				return nil, fail(ErrContent, "commit %s is malformed: %s", h, err)
			}
			return c, nil
		case plumbing.TagObject:
			tag, err := object.DecodeTag(nil, o)
			if err != nil {
				return nil, fail(ErrContent, "tag %s is malformed: %s", h, err)
			}
			h = tag.Target
		default:
			return nil, fail(ErrNotFound, "%s is a %s, not a commit; name a branch, a tag or a commit", h, o.Type())
		}
	}
	return nil, fail(ErrContent, "a tag leads to too many other tags; name the commit")
}

func (s *store) tree(h plumbing.Hash) (*object.Tree, error) {
	o, err := s.object(plumbing.TreeObject, h)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errIncomplete, h, err)
	}
	if err := checkSize(o.Type(), h, o.Size()); err != nil {
		return nil, err
	}
	t, err := object.DecodeTree(nil, o)
	if err != nil {
		return nil, fail(ErrContent, "tree %s is malformed: %s", h, err)
	}
	return t, nil
}

// checkSize refuses what would take much memory to read.
func checkSize(t plumbing.ObjectType, h plumbing.Hash, size int64) error {
	limit := int64(maxObjectBytes)
	switch t {
	case plumbing.CommitObject, plumbing.TagObject:
		limit = maxTextBytes
	case plumbing.TreeObject:
		limit = maxTreeBytes
	}
	if size > limit {
		return fail(ErrContent, "%s %s has %d bytes; at most %d are accepted", t, h, size, limit)
	}
	return nil
}

// checkComplete makes sure that all of a commit's objects are in the store.
func (s *store) checkComplete(ctx context.Context, c *object.Commit) error {
	return s.checkTree(ctx, c.TreeHash, 0)
}

func (s *store) checkTree(ctx context.Context, h plumbing.Hash, depth int) error {
	if s.complete[h] {
		return nil
	}
	if depth > maxTreeDepth {
		return errTooDeep
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := s.tree(h)
	if err != nil {
		return err
	}
	for _, e := range t.Entries {
		switch e.Mode {
		case filemode.Submodule:
		case filemode.Dir:
			if err := s.checkTree(ctx, e.Hash, depth+1); err != nil {
				return err
			}
		default:
			if !s.has(e.Hash) {
				return fmt.Errorf("%w: %s", errIncomplete, e.Hash)
			}
		}
	}
	s.complete[h] = true
	return nil
}

// subtree finds the folder that the config names.
func (s *store) subtree(root plumbing.Hash, path string) (plumbing.Hash, error) {
	if path == "." {
		return root, nil
	}
	at, walked := root, ""
	for part := range strings.SplitSeq(path, "/") {
		t, err := s.tree(at)
		if err != nil {
			return at, err
		}
		i := slices.IndexFunc(t.Entries, func(e object.TreeEntry) bool { return e.Name == part })
		if i < 0 || t.Entries[i].Mode != filemode.Dir {
			return at, pathError(path, walked, part, t.Entries, i)
		}
		at = t.Entries[i].Hash
		walked += part + "/"
	}
	return at, nil
}

func pathError(path, walked, part string, entries []object.TreeEntry, found int) error {
	if found >= 0 {
		kind := map[filemode.FileMode]string{filemode.Symlink: "a symbolic link", filemode.Submodule: "a submodule"}[entries[found].Mode]
		return failContent("the path %q does not exist: %q is %s, not a folder; set source.path to a folder", path, walked+part, firstOf(kind, "a file"))
	}
	var folders []string
	for _, e := range entries {
		if e.Mode == filemode.Dir {
			folders = append(folders, walked+e.Name)
		}
	}
	return failContent("there is no folder %q; set source.path or commit it%s", path, nearestHint("folders there", walked+part, folders))
}

// folder is one tree, checked, its entries sorted by name.
type folder struct {
	entries []object.TreeEntry
	below   int // how many entries there are below, itself not counted
	longest int // bytes of the longest path below
}

func (f *folder) find(name string) (object.TreeEntry, bool) {
	i, ok := slices.BinarySearchFunc(f.entries, name, func(e object.TreeEntry, n string) int { return strings.Compare(e.Name, n) })
	if !ok {
		return object.TreeEntry{}, false
	}
	return f.entries[i], true
}

// listing reads every folder below root, once each, and refuses names that
// no file system should see and trees that repeat themselves without end.
type listing struct {
	store   *store
	made    map[plumbing.Hash]*object.Tree // trees that are in no repository
	ctx     context.Context
	folders map[plumbing.Hash]*folder
}

func (l *listing) read(h plumbing.Hash, path string, depth int) (*folder, error) {
	if f := l.folders[h]; f != nil {
		return f, nil
	}
	if depth > maxTreeDepth {
		return nil, errTooDeep
	}
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	t, err := l.tree(h)
	if err != nil {
		return nil, err
	}
	f := &folder{entries: t.Entries, below: len(t.Entries)}
	slices.SortStableFunc(f.entries, func(a, b object.TreeEntry) int { return strings.Compare(a.Name, b.Name) })
	for i, e := range f.entries {
		if problem := nameProblem(e.Name); problem != "" {
			return nil, fail(ErrContent, "the name %s in %q %s; remove it in a new commit", strconv.Quote(clip(e.Name, maxNameShown)), clip(path, maxNameShown), problem)
		}
		if i > 0 && f.entries[i-1].Name == e.Name {
			return nil, fail(ErrContent, "the name %q is twice in %q; commit it again with git", clip(e.Name, maxNameShown), clip(path, maxNameShown))
		}
		if e.Mode == filemode.Dir {
			sub, err := l.read(e.Hash, path+e.Name+"/", depth+1)
			if err != nil {
				return nil, err
			}
			f.below += sub.below
			f.longest = max(f.longest, len(e.Name)+1+sub.longest)
		}
		if f.longest = max(f.longest, len(e.Name)); f.longest > maxPathBytes {
			return nil, fail(ErrContent, "there are paths of more than %d bytes below %q; shorten them", maxPathBytes, clip(path, maxNameShown))
		}
		if f.below > maxEntries {
			return nil, fail(ErrContent, "there are more than %d files below %q; set source.path to a smaller folder", maxEntries, clip(path, maxNameShown))
		}
	}
	l.folders[h] = f
	return f, nil
}

func (l *listing) tree(h plumbing.Hash) (*object.Tree, error) {
	if t := l.made[h]; t != nil {
		return t, nil
	}
	return l.store.tree(h)
}

// steers tells of characters that move a cursor, end a line or turn the
// direction of what is shown: a name stands in plans, logs and comments.
func steers(r rune) bool {
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r)
}

func nameProblem(name string) string {
	switch {
	case name == "" || name == "." || name == "..":
		return "leads out of its folder"
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
