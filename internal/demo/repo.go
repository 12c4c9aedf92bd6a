package demo

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// repository is the config repository of the demo, with a work tree that the visitor can change.
type repository struct {
	dir string
	git *git.Repository
}

func newRepository(dir string, files fs.FS) (*repository, error) {
	if err := os.CopyFS(dir, files); err != nil {
		return nil, fmt.Errorf("demo: write the repository: %w", err)
	}
	g, err := git.PlainInitWithOptions(dir, &git.PlainInitOptions{InitOptions: git.InitOptions{DefaultBranch: plumbing.Main}})
	if err != nil {
		return nil, fmt.Errorf("demo: create the repository: %w", err)
	}
	return &repository{dir: dir, git: g}, nil
}

// commit commits everything in the work tree.
func (r *repository) commit(message string) error {
	tree, err := r.git.Worktree()
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if err := tree.AddWithOptions(&git.AddOptions{All: true}); err != nil {
		return fmt.Errorf("demo: git add: %w", err)
	}
	author := &object.Signature{Name: "You", Email: "you@example.org", When: time.Now()}
	if _, err = tree.Commit(message, &git.CommitOptions{Author: author}); err != nil {
		return fmt.Errorf("demo: git commit: %w", err)
	}
	return nil
}

// edit replaces a text in a file. It returns an error if the file does not contain the text.
func (r *repository) edit(file, old, text string) error {
	path := filepath.Join(r.dir, file)
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if !strings.Contains(string(content), old) {
		return fmt.Errorf("demo: %s has no %q", file, old)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(content), old, text, 1)), 0o644)
}
