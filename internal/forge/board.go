package forge

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Board writes a commit status only if it differs from the status that the commit has.
type Board struct {
	forge CommitStatuses

	mu       sync.Mutex
	statuses map[string]map[string]Status // statuses by commit and then by context
	commits  []string                     // the keys of statuses, oldest first
	posted   map[[2]string]int            // number of statuses that were written, by commit and context
}

const (
	// maxKnown is the number of commits whose statuses are remembered.
	maxKnown = 5_000
	// maxPosted is the number of statuses of one commit and context that this process writes freely.
	// Further statuses are written only if their state differs. GitHub accepts 1,000 statuses.
	maxPosted = 400
)

// NewBoard returns a board that writes to f.
func NewBoard(f CommitStatuses) *Board {
	return &Board{forge: f, statuses: map[string]map[string]Status{}, posted: map[[2]string]int{}}
}

// News reports whether s has to be written: the commit's status differs from s, and maxPosted does
// not forbid the change.
func (b *Board) News(ctx context.Context, commit string, s Status) (bool, error) {
	before, ok, err := b.Get(ctx, commit, s.Context)
	if err != nil || !ok || before.State != s.State {
		return err == nil, err
	}
	same := before.Description == Describe(s.Description) && (before.URL == s.URL || s.URL == "") && !before.Covered
	return !same && !b.many(commit, s.Context), nil
}

// Set writes s as a commit's status, unless the commit has that status already. It reports whether
// it has written s.
func (b *Board) Set(ctx context.Context, commit string, s Status) (news bool, err error) {
	s.Description, s.Covered = Describe(s.Description), false
	if news, err := b.News(ctx, commit, s); err != nil || !news {
		return false, err
	}
	if err := b.forge.SetStatus(ctx, commit, s); err != nil {
		if errors.Is(err, ErrUnavailable) {
			b.forget(commit)
		}
		return false, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posted[[2]string{commit, s.Context}]++
	b.remember(commit)[s.Context] = s
	return true, nil
}

// Get returns a commit's status of a context; ok is false if the commit has none.
func (b *Board) Get(ctx context.Context, commit, name string) (s Status, ok bool, err error) {
	known, err := b.statusesOf(ctx, commit)
	s, ok = known[name]
	return s, ok, err
}

// Count returns how many statuses of a context this process has written to a commit.
func (b *Board) Count(commit, name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.posted[[2]string{commit, name}]
}

func (b *Board) many(commit, name string) bool {
	return b.Count(commit, name) >= maxPosted
}

// statusesOf returns the commit's statuses by context. They are read from the forge once, and remembered.
func (b *Board) statusesOf(ctx context.Context, commit string) (map[string]Status, error) {
	b.mu.Lock()
	known, ok := b.statuses[commit]
	known = clone(known)
	b.mu.Unlock()
	if ok {
		return known, nil
	}
	list, err := b.forge.Statuses(ctx, commit)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.remember(commit)
	for _, s := range list {
		if _, ok := kept[s.Context]; !ok { // otherwise another goroutine has just read or set it
			kept[s.Context] = s
		}
	}
	return clone(kept), nil
}

func clone(m map[string]Status) map[string]Status {
	out := make(map[string]Status, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func (b *Board) remember(commit string) map[string]Status {
	if known, ok := b.statuses[commit]; ok {
		return known
	}
	if len(b.commits) >= maxKnown {
		oldest := b.commits[0]
		b.commits = slices.Delete(b.commits, 0, 1)
		delete(b.statuses, oldest)
		for key := range b.posted {
			if key[0] == oldest {
				delete(b.posted, key)
			}
		}
	}
	b.commits = append(b.commits, commit)
	b.statuses[commit] = map[string]Status{}
	return b.statuses[commit]
}

// forget removes a commit's statuses from memory, so that they are read again. The forge may have
// stored a status although its answer did not arrive.
func (b *Board) forget(commit string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.statuses, commit)
	b.commits = slices.DeleteFunc(b.commits, func(one string) bool { return one == commit })
}

// MaxDescription is the maximal length of a status's description in characters (GitHub REST API,
// "Create a commit status").
const MaxDescription = 140

// Describe changes a text to a valid description of a status: one line of at most [MaxDescription]
// characters that are safe to print. Characters outside of the basic multilingual plane are
// replaced, because GitHub refuses them.
func Describe(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r > 0xffff:
			return '\ufffd'
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		}
		return r
	}, text)
	return printable.Shorten(printable.Line(text), MaxDescription)
}
