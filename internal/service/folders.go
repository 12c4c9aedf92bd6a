package service

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/session"
)

// folders stores, while an agent runs, the folders in which documents define stacks.
type folders struct {
	opener    session.Opener
	documents []config.Stack

	mu           sync.Mutex          // for one call of look at a time
	known        map[string][]string // the last known folders, by the name of the document.
	seen         map[string]string   // the commit of each document that was last read.
	failed       map[string]error    // why a document's folders are unknown.
	lastProblems string              // the last logged problems with folders.
	stacks       []config.Stack      // the stacks that were last made from the folders
}

func newFolders(o session.Opener, documents []config.Stack) *folders {
	return &folders{opener: o, documents: documents, known: map[string][]string{}, seen: map[string]string{}, failed: map[string]error{}}
}

// all returns the stacks at the start.
func (f *folders) all(ctx context.Context) (stacks []config.Stack, unlisted []config.Unlisted, problems error) {
	for i := range f.documents {
		if d := &f.documents[i]; d.PerFolder() {
			f.fetch(ctx, d)
		}
	}
	return f.make()
}

// fetch reads the folders of a document. news is false if the commit has not changed, or if the source cannot be read.
func (f *folders) fetch(ctx context.Context, d *config.Stack) (news bool) {
	base, pattern := manifest.SplitFolders(d.Spec.Source.Paths)
	commit, files, err := f.opener.BaseFolder(ctx, d, base, "", f.seen[d.Name])
	if err != nil {
		if f.seen[d.Name] == "" {
			f.failed[d.Name] = session.PublicError(err) // once the document has stacks, they report such an error themselves
		}
		return false
	}
	if commit == f.seen[d.Name] {
		return false
	}
	found, err := session.FoldersOf(files, d, pattern)
	if err != nil {
		f.failed[d.Name] = err
	}
	if err == nil || errors.Is(err, manifest.ErrManyFolders) {
		f.seen[d.Name] = commit // a commit that could not be read is not stored, so that it is tried again
	}
	if err != nil {
		return true
	}
	f.known[d.Name] = found
	delete(f.failed, d.Name)
	return true
}

// make returns the stacks of the known folders.
func (f *folders) make() (stacks []config.Stack, unlisted []config.Unlisted, problems error) {
	stacks, wrong, unlisted := config.InFolders(f.documents, false, f.serves, func(s *config.Stack, _, _ string) ([]string, error) { return f.known[s.Name], f.failed[s.Name] })
	f.stacks = stacks
	return stacks, unlisted, wrong.Err()
}

// serves reports whether s is already served: the served stack of this name has the same identity.
func (f *folders) serves(s *config.Stack) bool {
	return slices.ContainsFunc(f.stacks, func(o config.Stack) bool { return o.Name == s.Name && identity(&o) == identity(s) })
}

// watch looks for new commits of each document until ctx ends, so that its stacks need not poll.
func (f *folders) watch(ctx context.Context, svc *service) {
	var clocks sync.WaitGroup
	for i := range f.documents {
		d := &f.documents[i]
		if !d.PerFolder() {
			continue
		}
		look := func() { f.look(ctx, svc, d) }
		clocks.Go(func() { schedule.Run(ctx, d.Poll, d.Poll.Jitter(time.Now()), look) })
		clocks.Go(func() { svc.onPush(ctx, d.Name, look) })
	}
	clocks.Wait()
}

// look reads the folders of a document. It starts the stacks of new folders, ends the stacks of folders that are gone, and makes all others
// look for new commits.
func (f *folders) look(ctx context.Context, svc *service, d *config.Stack) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before, listed := f.known[d.Name]
	_, failed := f.failed[d.Name]
	if !f.fetch(ctx, d) || ctx.Err() != nil {
		return
	}
	stacks, unlisted, problems := f.make()
	changed, gone := svc.setStacks(stacks)
	unlisted = slices.DeleteFunc(unlisted, func(u config.Unlisted) bool { return u.Document.Name != d.Name })
	if len(unlisted) == 0 {
		svc.dependencies.Remove(d.Name) // stacks that depend on the document now wait for its stacks
		svc.health.Listed(d.Name, svc.roster.names(d.Name))
	}
	if failed && len(unlisted) == 0 {
		svc.log.Info("the folders that are stacks are now known", "stack", d.Name, "stacks", len(f.known[d.Name]))
	}
	f.logProblems(svc, unlisted, problems)
	if listed && !slices.Equal(before, f.known[d.Name]) {
		svc.logFolders(changed, gone)
	}
	svc.wake(d.Name)
}

// logProblems logs documents whose folders are unknown, and problems with folders that should be stacks. Stacks that depend on a document without any
// known folder have to wait.
func (f *folders) logProblems(svc *service, unlisted []config.Unlisted, problems error) {
	for _, u := range unlisted {
		served := len(f.known[u.Document.Name])
		if served == 0 {
			svc.dependencies.Expect(u.Document.Name)
		}
		svc.health.Unlisted(u.Document.Name, served > 0 || u.Document.Agents() != nil)
		svc.log.Error("the folders are unknown; the last known ones are served, and the search is retried", "stack", u.Document.Name, "stacks", served, "error", u.Err)
	}
	text := ""
	if problems != nil {
		text = problems.Error()
	}
	if text != "" && text != f.lastProblems {
		svc.log.Error("a folder cannot be a stack, and is ignored", "error", problems)
	}
	f.lastProblems = text
}

// logFolders logs which stacks have been added or removed together with their folders.
func (svc *service) logFolders(changed, gone []config.Stack) {
	now := len(svc.roster.names())
	for _, one := range gone {
		svc.log.Warn("its folder no longer exists: the objects of the stack stay in the cloud, and no agent manages them; restore the folder, or end the stack with: stackreeve destroy "+one.Name,
			"stack", one.Name, "folder", one.Spec.Source.Path, "stacks", now)
	}
	for _, one := range changed {
		svc.log.Info("its folder is new", "stack", one.Name, "folder", one.Spec.Source.Path, "stacks", now)
	}
}

// requestLook returns a function that requests a call of look for a document.
func (svc *service) requestLook(document string) func() {
	return func() {
		select {
		case svc.pushed[document] <- struct{}{}:
		default: // a request is pending already
		}
	}
}

// onPush calls look whenever somebody may have pushed to the document's repository.
func (svc *service) onPush(ctx context.Context, document string, look func()) {
	for {
		select {
		case <-svc.pushed[document]:
			look()
		case <-ctx.Done():
			return
		}
	}
}
