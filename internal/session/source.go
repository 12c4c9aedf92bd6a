package session

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/artifact"
)

// Source is the place from which a stack's manifests come: a branch of a Git repository, or an artifact. A branch also has a history and
// pull requests; see [Git].
type Source interface {
	// Fetch returns the newest revision, and whether it differs from the revision that the last call returned.
	Fetch(ctx context.Context) (rev source.Revision, changed bool, err error)
	// Last returns the newest revision that Fetch has returned; ok is false before the first one.
	Last() (rev source.Revision, ok bool)
	Close() error
}

// Source returns the source of a stack's branch, or of its artifact.
func (o Opener) Source(s *config.Stack) (Source, error) {
	if s.Spec.Source.IsArtifact() {
		return artifact.New(s.Artifact(), o.Log.With("stack", s.Name))
	}
	return o.Repo(s, ForBranch)
}

// Git returns the repository of a source. ok is false for an artifact.
func Git(from Source) (repo *source.Repo, ok bool) {
	repo, ok = from.(*source.Repo)
	return repo, ok
}

// Earlier returns a function that visits the commits of a source's branch before a commit, the newest first. An artifact has no history;
// then the function is nil. An agent gets it as History, and its groups as Earlier.
func Earlier(from Source) func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error {
	if repo, ok := Git(from); ok {
		return repo.Earlier
	}
	return nil
}
