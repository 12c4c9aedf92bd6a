package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/source"
)

// folderError is what is wrong with folders that should be stacks. The other stacks are not
// concerned.
type folderError struct{ problems error }

func (e folderError) Error() string { return e.problems.Error() }
func (e folderError) Unwrap() error { return e.problems }

// inFolders makes the stacks that documents stand for: with dir by the folders of a work tree, else
// by those of the branch. What is wrong with one folder or document is said, and stops no other; those that depend on
// a document whose folders are not known cannot be carried out. It is an error where no stack is left.
func (a *app) inFolders(ctx context.Context, documents []config.Stack, dir string) ([]config.Stack, error) {
	stacks, unlisted, err := a.stacksIn(documents, func(s *config.Stack, base, pattern string) ([]string, error) {
		_, files, err := a.baseFolder(ctx, s, base, dir)
		if err != nil {
			return nil, source.Public(err)
		}
		return foldersOf(files, s, pattern)
	})
	if len(stacks) == 0 {
		if len(unlisted) > 0 {
			return nil, unlisted[0]
		}
		return nil, err
	}
	for _, u := range unlisted {
		a.amiss, a.unlisted = worse(a.amiss, a.fail(u)), append(a.unlisted, u.Document.Name)
	}
	a.amiss = worse(a.amiss, a.fail(err))
	return stacks, nil
}

// dependsOnUnlisted is the document without known folders that a stack depends on; "" for none.
func (a *app) dependsOnUnlisted(s *config.Stack) string {
	for _, name := range s.Spec.DependsOn {
		if slices.Contains(a.unlisted, name) {
			return name
		}
	}
	return ""
}

// servesNow reports whether a stack is the one of that name which is served.
func (a *app) servesNow(s *config.Stack) bool {
	return slices.ContainsFunc(a.serving, func(o config.Stack) bool {
		return o.Name == s.Name && o.Of() == s.Of() && o.Spec.Source.Path == s.Spec.Source.Path
	})
}

// stacksIn makes the stacks of the folders that list finds for each document. Documents without a list are unlisted, and the folders that list has
// all the same are their stacks. Its error is a [folderError].
func (a *app) stacksIn(documents []config.Stack, list func(s *config.Stack, base, pattern string) ([]string, error)) (stacks []config.Stack, unlisted []config.Unlisted, err error) {
	stacks, problems, unlisted := config.InFolders(documents, a.keepGone, a.servesNow, list)
	if len(problems) > 0 {
		err = folderError{problems}
	}
	return stacks, unlisted, err
}

func foldersOf(files fs.FS, s *config.Stack, pattern string) ([]string, error) {
	found, err := manifest.Folders(files, pattern, config.MaxFolders)
	if errors.Is(err, manifest.ErrManyFolders) {
		err = fmt.Errorf("%s: %w; use several documents with narrower patterns", s.Spec.Source.Paths, err)
	}
	return found, err
}

// baseFolder is the newest state of the folder that all folders of a document are in. Its folders can be listed.
func (a *app) baseFolder(ctx context.Context, s *config.Stack, base, dir string) (commit string, files fs.FS, err error) {
	if dir != "" {
		rev, err := source.WorkTree(dir, base)
		return "", rev.Files, err
	}
	w := a.wiring(a.logger(false))
	defer a.progress.begin(of(s.Name, "fetching "+s.Spec.Source.URL))()
	root, err := w.root(s, s.Name, forBranch)
	if err != nil {
		return "", nil, err
	}
	repo := root.In(base)
	defer func() { _ = repo.Close() }()
	return repo.Outline(ctx)
}

// What clones are for: whatever a pull request brings, the branch does not wait for it.
const (
	forBranch = "branch"
	forPulls  = "pull requests"
)

// clones are the repositories that stacks share which were made from one document.
type clones struct {
	mu sync.Mutex
	of map[[2]string]*source.Repo // by the name of the document, and what they are for
}

// root is the clone for a document.
func (w wiring) root(s *config.Stack, document, use string) (*source.Repo, error) {
	w.clones.mu.Lock()
	defer w.clones.mu.Unlock()
	key := [2]string{document, use}
	if root := w.clones.of[key]; root != nil {
		return root, nil
	}
	root, err := w.newRepo(s)
	if err == nil {
		w.clones.of[key] = root
	}
	return root, err
}
