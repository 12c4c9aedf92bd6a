package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// folderError is what is wrong with folders that should be stacks. The other stacks are not
// concerned.
type folderError struct{ problems error }

func (e folderError) Error() string { return e.problems.Error() }
func (e folderError) Unwrap() error { return e.problems }

// inFolders makes the stacks that documents stand for: with dir by the folders of a work tree, else
// by those of the branch. Here it is an error when those of one document are not known.
func (a *app) inFolders(ctx context.Context, documents []config.Stack, dir string) ([]config.Stack, error) {
	stacks, unlisted, err := a.inRevisions(documents, known{}, func(s *config.Stack, base string) (source.Revision, error) { return a.baseFolder(ctx, s, base, dir) })
	if len(unlisted) > 0 {
		return nil, unlisted[0]
	}
	return stacks, err
}

// known are the folders of documents when they were last known, by the name of the document.
type known map[string][]string

// inRevisions makes the stacks by what the folder holds that all folders of a document are in, or
// by the folders that were known where that cannot be read: those documents are unlisted. Its
// error is a [folderError].
func (a *app) inRevisions(documents []config.Stack, were known, revision func(s *config.Stack, base string) (source.Revision, error)) (stacks []config.Stack, unlisted []config.Unlisted, err error) {
	list := func(s *config.Stack, base, pattern string) ([]string, error) {
		rev, err := revision(s, base)
		if err != nil {
			return were[s.Name], source.Public(err)
		}
		found, err := foldersOf(rev.Files, s, pattern)
		if err != nil {
			return were[s.Name], err
		}
		were[s.Name] = found
		return found, nil
	}
	stacks, problems, unlisted := config.InFolders(documents, a.keepGone, list)
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

// baseFolder is the newest state of the folder that all folders of a document are in.
func (a *app) baseFolder(ctx context.Context, s *config.Stack, base, dir string) (source.Revision, error) {
	if dir != "" {
		return source.WorkTree(dir, base)
	}
	w := a.wiring(a.logger(false))
	defer a.progress.begin(of(s.Name, "fetching "+s.Spec.Source.URL))()
	root, err := w.root(s, s.Name, forBranch)
	if err != nil {
		return source.Revision{}, err
	}
	repo := root.In(base)
	defer func() { _ = repo.Close() }()
	rev, _, err := repo.Fetch(ctx)
	return rev, err
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

// How long it is waited before the stacks of a branch are served again that could not be.
const (
	firstServe = time.Second
	longServe  = time.Minute
)

// serveFolders runs the agent until ctx ends. When the folders of a branch have become others, it
// begins again with the stacks that there are then: what is in flight is finished before. What cannot
// be read then, since somebody replaces it, is tried again; only at the start that is the end.
func (a *app) serveFolders(ctx context.Context, f runFlags) error {
	were := known{}
	var stacks []config.Stack // all that have no folders, until those are known
	for _, s := range a.documents {
		if !s.PerFolder() {
			stacks = append(stacks, s)
		}
	}
	failures := 0
	for first := true; ; first = false {
		now, unlisted, problems := a.inRevisions(a.documents, were, func(s *config.Stack, base string) (source.Revision, error) { return a.baseFolder(ctx, s, base, "") })
		if ctx.Err() != nil {
			return nil
		}
		a.sayFolders(stacks, now, problems)
		stacks = now
		err := a.serveThese(ctx, stacks, unlisted, were, f)
		switch {
		case first && err != nil || ctx.Err() != nil:
			return err
		case err == nil:
			failures = 0
			continue
		}
		failures++
		pause := backoff.Pause(firstServe, longServe, failures)
		a.logger(true).Error("the stacks cannot be served, and nobody looks after them until it is tried again", "stacks", len(stacks), "in", report.Lasted(pause), "error", err)
		if backoff.Wait(ctx, pause) != nil {
			return nil
		}
	}
}

// serveThese serves stacks until their folders have become others, or ctx ends.
func (a *app) serveThese(ctx context.Context, stacks []config.Stack, unlisted []config.Unlisted, were known, f runFlags) error {
	svc, err := a.service(stacks, f)
	if err != nil {
		return err
	}
	svc.lack(unlisted, were)
	running, end := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { a.watchFolders(running, end, svc, stacks, were) })
	err = svc.run(running, f.door)
	end()
	watch.Wait()
	return err
}

// lack says which documents are not served as they should be, and has who depends on one wait that has no stacks.
func (s *service) lack(unlisted []config.Unlisted, were known) {
	for _, u := range unlisted {
		stand, served := s.stand, len(were[u.Document.Name]) > 0
		if s.among != nil {
			stand = s.among.stand
		}
		if !served {
			stand.Expect(u.Document.Name)
		}
		s.health.Unlisted(u.Document.Name, u.Err, served || u.Document.Agents() != nil)
		s.log.Error("the folders that are stacks are not known; those that were stay, and it is tried again", "stack", u.Document.Name, "stacks", len(were[u.Document.Name]), "error", u.Err)
	}
}

// sayFolders says which stacks come and go with their folders.
func (a *app) sayFolders(before, now []config.Stack, problems error) {
	log := a.logger(true)
	for _, s := range before {
		if s.Of() != "" && !slices.ContainsFunc(now, func(o config.Stack) bool { return o.Name == s.Name }) {
			log.Warn("its folder is gone: what the stack owns stays in the cloud, and nobody looks after it; bring the folder back, or end the stack with: stackreeve destroy "+s.Name,
				"stack", s.Name, "folder", s.Spec.Source.Path)
		}
	}
	for _, s := range now {
		if s.Of() != "" && !slices.ContainsFunc(before, func(o config.Stack) bool { return o.Name == s.Name }) {
			log.Info("its folder is new", "stack", s.Name, "folder", s.Spec.Source.Path)
		}
	}
	if problems != nil {
		log.Error("a folder cannot be a stack, and is left alone", "error", problems)
	}
}

// watchFolders looks for new commits for all stacks of a document at once. end is called when
// there are others.
func (a *app) watchFolders(ctx context.Context, end func(), svc *service, stacks []config.Stack, were known) {
	var clocks sync.WaitGroup
	defer clocks.Wait()
	var mu sync.Mutex // one look at a time
	seen, had := map[string]source.Revision{}, namesOf(stacks)
	for _, document := range a.documents {
		if !document.PerFolder() {
			continue
		}
		look := func() {
			mu.Lock()
			defer mu.Unlock()
			base, _ := manifest.SplitFolders(document.Spec.Source.Paths)
			rev, err := a.baseFolder(ctx, &document, base, "")
			if err != nil || ctx.Err() != nil || seen[document.Name].Commit == rev.Commit {
				return // what is wrong with the source is said by its stacks
			}
			// The others are asked at times of their own.
			now, unlisted, _ := a.inRevisions(a.documents, were, func(s *config.Stack, _ string) (source.Revision, error) {
				if s.Name == document.Name {
					return rev, nil
				}
				if rev, ok := seen[s.Name]; ok {
					return rev, nil
				}
				return source.Revision{}, errNotSeen
			})
			listed := !slices.ContainsFunc(unlisted, func(u config.Unlisted) bool { return u.Document.Name == document.Name })
			switch {
			case ctx.Err() != nil:
				return
			case !slices.Equal(had, namesOf(now)):
				end()
				return
			case listed:
				seen[document.Name] = rev
				svc.health.Listed(document.Name)
			}
			svc.wake(stacks, document.Name)
		}
		clocks.Go(func() {
			schedule.Run(ctx, document.Poll, document.Poll.Jitter(time.Now()), look)
		})
		clocks.Go(func() { svc.onPush(ctx, document.Name, look) })
	}
	<-ctx.Done()
}

// errNotSeen is that of a document whose folders were not looked at by a watch.
var errNotSeen = errors.New("it was not looked at yet")

func namesOf(stacks []config.Stack) (names []string) {
	for _, s := range stacks {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}

// wake has the stacks of a document look for a new commit.
func (s *service) wake(stacks []config.Stack, document string) {
	for i := range stacks {
		if stacks[i].Of() == document {
			s.waking(stacks, i)()
		}
	}
}

// looking has the folders of a document looked at soon.
func (s *service) looking(document string) func() {
	return func() {
		select {
		case s.pushed[document] <- struct{}{}:
		default: // it will be
		}
	}
}

// onPush looks at the folders of a document whenever somebody may have pushed.
func (s *service) onPush(ctx context.Context, document string, look func()) {
	for {
		select {
		case <-s.pushed[document]:
			look()
		case <-ctx.Done():
			return
		}
	}
}
