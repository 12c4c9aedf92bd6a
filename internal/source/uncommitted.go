package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// Difference is a file or folder of a work tree that a commit would not contain in the same form.
type Difference struct {
	File string // path below the compared folder, with slashes
	How  How
	// Stored is the format of the version that Git stores, for [Converted].
	Stored string
}

// How is the kind of a difference between a work tree and the commit that Git would make of it.
type How string

// These are the kinds of differences.
const (
	Submodule  How = "submodule"       // the files of the folder belong to another repository.
	Converted  How = "converted"       // Git stores another text, because of a filter, such as a pointer of Git LFS.
	Linked     How = "linked"          // Git stores a symbolic link.
	Untracked  How = "untracked"       // Git ignores the file, or nobody has added it.
	CheckedOut How = "not checked out" // Git stores the file, but a sparse checkout leaves it out.
)

const maxCompared = 4 << 20 // maximal number of bytes of a file that is compared

// Uncommitted compares a folder with the index of its Git repository. Without a repository, it finds no differences. The argument wanted reports
// whether a file is compared, by its path below the folder. foreign returns the format of a text that Git stores; "" for an ordinary
// text. A change that is not committed yet is not a difference.
func Uncommitted(dir string, wanted func(name string) bool, foreign func(text []byte) string) ([]Difference, error) {
	repo, err := git.PlainOpenWithOptions(dir, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the repository of %s: %w", dir, err)
	}
	below, err := withinWorkTree(repo, dir)
	if err != nil {
		return nil, err
	}
	idx, err := repo.Storer.Index()
	if err != nil {
		return nil, fmt.Errorf("reading the index of %s: %w", dir, err)
	}
	c := comparison{repo: repo, wanted: wanted, foreign: foreign, tracked: map[string]*index.Entry{}}
	for _, e := range idx.Entries {
		if name, ok := strings.CutPrefix(e.Name, below); ok {
			c.tracked[name] = e
			c.entry(name, e)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // the folder was only read
	if err := fs.WalkDir(root.FS(), ".", c.visit(root.FS())); err != nil {
		return nil, fmt.Errorf("comparing %s with Git: %w", dir, err)
	}
	slices.SortFunc(c.found, func(a, b Difference) int { return strings.Compare(a.File, b.File) })
	return c.found, nil
}

// Committed returns the repository of the work tree at dir, for a folder below dir. head is the commit that is checked out. The repository is nil
// if there is none, or if it has no commit.
func Committed(dir, folder string, folders ...string) (of *Repo, head string, err error) {
	repo, err := git.PlainOpenWithOptions(dir, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("opening the repository of %s: %w", dir, err)
	}
	at, err := repo.Head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading HEAD of %s: %w", dir, err)
	}
	below, err := withinWorkTree(repo, dir)
	if err != nil {
		return nil, "", err
	}
	tree, err := repo.Worktree()
	if err != nil {
		return nil, "", fmt.Errorf("the repository of %s: %w", dir, err)
	}
	of, err = New(Config{URL: tree.Filesystem.Root(), Path: path.Join(below, folder), Folders: folders}, nil)
	return of, at.Hash().String(), err
}

// withinWorkTree returns a folder's path from the root of the work tree, with a slash at its end; "" for the root.
func withinWorkTree(repo *git.Repository, dir string) (string, error) {
	tree, err := repo.Worktree()
	if err != nil {
		return "", fmt.Errorf("the repository of %s: %w", dir, err)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	paths := []string{tree.Filesystem.Root(), absolute}
	for i := range paths {
		if paths[i], err = filepath.EvalSymlinks(paths[i]); err != nil {
			return "", err
		}
	}
	rel, err := filepath.Rel(paths[0], paths[1])
	if err != nil || rel == "." {
		return "", err
	}
	return filepath.ToSlash(rel) + "/", nil
}

type comparison struct {
	repo    *git.Repository
	wanted  func(string) bool
	foreign func([]byte) string
	tracked map[string]*index.Entry
	found   []Difference
}

func (c *comparison) add(name string, how How, stored string) {
	c.found = append(c.found, Difference{name, how, stored})
}

// entry finds the differences of a path that its entry in the index alone shows.
func (c *comparison) entry(name string, e *index.Entry) {
	switch {
	case hidden(name):
	case e.Mode == filemode.Submodule:
		c.add(name, Submodule, "")
	case e.SkipWorktree && c.wanted(name):
		c.add(name, CheckedOut, "")
	}
}

func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
}

func (c *comparison) visit(files fs.FS) fs.WalkDirFunc {
	return func(name string, d fs.DirEntry, err error) error {
		e := c.tracked[name]
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || name == ".":
			return nil // the error is reported when the manifests are read
		case d.IsDir() && (hidden(name) || e != nil || isRepository(files, name)):
			return fs.SkipDir
		case d.IsDir() || hidden(name) || !d.Type().IsRegular() || !c.wanted(name):
			return nil
		case e == nil:
			c.add(name, Untracked, "")
		case e.Mode == filemode.Symlink:
			c.add(name, Linked, "")
		default:
			if stored := c.stored(files, name, e); stored != "" {
				c.add(name, Converted, stored)
			}
		}
		return nil
	}
}

func isRepository(files fs.FS, dir string) bool {
	_, err := fs.Lstat(files, path.Join(dir, ".git"))
	return err == nil
}

// stored returns the format of the version of a file that Git stores. It is "" if Git stores the file itself, or another version that
// no filter has changed.
func (c *comparison) stored(files fs.FS, name string, e *index.Entry) string {
	text, err := fs.ReadFile(files, name)
	if err != nil || len(text) > maxCompared || plumbing.ComputeHash(plumbing.BlobObject, text) == e.Hash {
		return ""
	}
	blob, err := c.repo.BlobObject(e.Hash)
	if err != nil {
		return ""
	}
	r, err := blob.Reader()
	if err != nil {
		return ""
	}
	defer func() { _ = r.Close() }() // the blob was only read
	was, err := io.ReadAll(io.LimitReader(r, maxCompared))
	if err != nil || c.foreign(text) != "" {
		return ""
	}
	return c.foreign(was)
}
