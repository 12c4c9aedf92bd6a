package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/progress"
	"github.com/stackreeve/stackreeve/internal/source"
)

// libraries are the libraries that stacks name. Stacks with the same library share it.
type libraries struct {
	mu sync.Mutex
	of map[string]*library // by [config.Library.Same]
}

// library is one library, which is fetched when it is needed.
type library struct {
	mu     sync.Mutex
	repo   *source.Repo
	failed error
	again  time.Time // time of the next attempt after a failure
}

// libraryPause is the pause after a library could not be fetched. Without it, all stacks and pull requests would try again at the same
// time.
const libraryPause = 30 * time.Second

// libraryError is the reason why a library cannot be read.
type libraryError struct {
	name string
	err  error
}

func (e libraryError) Error() string { return fmt.Sprintf("library %s: %v", e.name, e.err) }
func (e libraryError) Unwrap() error { return e.err }

func (o Opener) openLibrary(l *config.Library) (*library, error) {
	return o.Shared.libraries.open(l, func() (*source.Repo, error) {
		return source.New(withApp(l.Repo(o.DataDir, nil), l.Auth), o.Log.With("library", l.Name))
	})
}

// libraryTags returns the tags of a library's repository, with their commits.
func (o Opener) libraryTags(ctx context.Context, s *config.Stack, l *config.Library) (map[string]string, error) {
	one, err := o.openLibrary(l)
	if err != nil {
		return nil, err
	}
	defer o.Progress.Begin(progress.Of(s.Name, "reading the tags of "+l.URL))()
	return one.repo.Tags(ctx)
}

func (o Opener) library(ctx context.Context, s *config.Stack, l *config.Library) (source.Revision, error) {
	one, err := o.openLibrary(l)
	if err != nil {
		return source.Revision{}, err
	}
	defer o.Progress.Begin(progress.Of(s.Name, "fetching "+l.URL))()
	return one.fetch(ctx, l.Commit, time.Now())
}

func (all *libraries) open(l *config.Library, repo func() (*source.Repo, error)) (*library, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	key := l.Same()
	if one := all.of[key]; one != nil {
		return one, nil
	}
	made, err := repo()
	if err != nil {
		return nil, err
	}
	if all.of == nil {
		all.of = map[string]*library{}
	}
	all.of[key] = &library{repo: made}
	return all.of[key], nil
}

func (one *library) fetch(ctx context.Context, commit string, now time.Time) (source.Revision, error) {
	one.mu.Lock()
	defer one.mu.Unlock()
	if now.Before(one.again) {
		return source.Revision{}, one.failed
	}
	rev, err := one.repo.Pinned(ctx, commit)
	if err != nil && ctx.Err() == nil {
		one.failed, one.again = err, now.Add(libraryPause)
	}
	return rev, err
}
