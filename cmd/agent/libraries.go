package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// libraries are those that stacks name. Stacks share what they have in common.
type libraries struct {
	mu sync.Mutex
	of map[string]*library // by [config.Library.Same]
}

// library is one of them, which is fetched when it is needed.
type library struct {
	mu     sync.Mutex
	repo   *source.Repo
	failed error
	again  time.Time // when it is tried again after it failed
}

// libraryPause is how long a library that could not be fetched is left alone: all stacks and pull requests need it.
const libraryPause = 30 * time.Second

// libraryError is why a library cannot be read.
type libraryError struct {
	name string
	err  error
}

func (e libraryError) Error() string { return fmt.Sprintf("library %s: %v", e.name, e.err) }
func (e libraryError) Unwrap() error { return e.err }

// reader reads revisions of a stack, with its libraries.
func (w wiring) reader(ctx context.Context, s *config.Stack, region string, bounds resolve.Bounds) (resolve.Reader, error) {
	r := reader(s, region, bounds)
	var failed []error
	for i := range s.Spec.Source.Libraries {
		l := &s.Spec.Source.Libraries[i]
		rev, err := w.library(ctx, s, l)
		if err != nil {
			failed = append(failed, libraryError{l.Name, source.Public(err)})
			continue
		}
		r.Libraries = append(r.Libraries, manifest.Part{Name: path.Join(l.Label(), l.Path), Files: rev.Files})
	}
	return r, errors.Join(failed...)
}

func (w wiring) library(ctx context.Context, s *config.Stack, l *config.Library) (source.Revision, error) {
	one, err := w.libraries.open(l, func() (*source.Repo, error) {
		return source.New(withApp(l.Repo(w.dataDir, nil), l.Auth), w.log.With("library", l.Name))
	})
	if err != nil {
		return source.Revision{}, err
	}
	defer w.progress.begin(of(s.Name, "fetching "+l.URL))()
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
