package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/progress"
	"github.com/stackreeve/stackreeve/internal/source"
)

// FoldersOf returns the folders in files that match the pattern of a document. Each of them is a stack.
func FoldersOf(files fs.FS, s *config.Stack, pattern string) ([]string, error) {
	found, err := manifest.Folders(files, pattern, config.MaxFolders)
	if errors.Is(err, manifest.ErrManyFolders) {
		err = fmt.Errorf("%s: %w; use several documents with narrower patterns", s.Spec.Source.Paths, err)
	}
	return found, err
}

// BaseFolder returns the newest state of the folder that contains all folders of a document, so that they can be listed.
// The argument last is the commit of which they were last listed; it is "" if there is none. If signatures are needed, the error is an [*source.Unverified] without them.
func (o Opener) BaseFolder(ctx context.Context, s *config.Stack, base, dir, last string) (commit string, files fs.FS, err error) {
	if dir != "" {
		rev, err := source.WorkTree(dir, base)
		return "", rev.Files, err
	}
	defer o.Progress.Begin(progress.Of(s.Name, "fetching "+s.Spec.Source.URL))()
	root, err := o.root(s, s.Name, ForBranch)
	if err != nil {
		return "", nil, err
	}
	repo := root.In(base)
	defer func() { _ = repo.Close() }()
	commit, files, err = repo.Outline(ctx)
	if verify := Verify(s, repo); err == nil && verify != nil {
		_, err = verify(ctx, commit, last)
	}
	return commit, files, err
}
