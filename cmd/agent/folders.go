package main

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/session"
)

// folderError contains the problems of folders that should be stacks. Other stacks are not affected.
type folderError struct{ problems error }

func (e folderError) Error() string { return e.problems.Error() }
func (e folderError) Unwrap() error { return e.problems }

// inFolders makes the stacks of documents. If dir is set, it uses the folders of a work tree, and otherwise those of the branch. A problem
// with one folder or document is printed and does not affect others. A stack that depends on a document with unknown folders cannot be carried
// out. inFolders returns an error if there is no stack.
func (a *app) inFolders(ctx context.Context, documents []config.Stack, dir string) ([]config.Stack, error) {
	stacks, unlisted, err := a.stacksIn(documents, func(s *config.Stack, base, pattern string) ([]string, error) {
		_, files, err := a.opener().BaseFolder(ctx, s, base, dir, "")
		if err != nil {
			return nil, session.PublicError(err)
		}
		return session.FoldersOf(files, s, pattern)
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

// stacksIn makes the stacks of the folders that list finds for each document. If list fails, the document is unlisted, but the folders that
// list returned become stacks. The error is a [folderError].
func (a *app) stacksIn(documents []config.Stack, list func(s *config.Stack, base, pattern string) ([]string, error)) (stacks []config.Stack, unlisted []config.Unlisted, err error) {
	stacks, problems, unlisted := config.InFolders(documents, a.keepGone, func(*config.Stack) bool { return false }, list)
	if len(problems) > 0 {
		err = folderError{problems}
	}
	return stacks, unlisted, err
}
