package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

const (
	// mostBack is how many commits fallBack goes back.
	mostBack = 50
	// askedBack is how long the places that know of commits are asked about refused
	// ones.
	askedBack = 30 * time.Second
)

// fallBack finds the last commit before a refused one whose manifests are accepted,
// and keeps the cloud at it, as a process that ran all the time would have done.
//
// One that is known to have been in sync is applied like any other. Of another it
// is not known whether a newer one was applied, which is refused now: it is applied
// with caution (see [guard.Cautious]). When it is known that one was, nothing
// is found. One in which the emptied files of head hold nothing, either, is not accepted.
func (s *Loop) fallBack(ctx context.Context, head source.Revision, region string, emptied []string, refusal *report.Refusal) {
	if s.Earlier == nil || s.state.footing.noGoodBefore == head.Commit {
		return
	}
	found, refused, err := s.lastGood(ctx, head, region, emptied)
	switch {
	case err != nil && ctx.Err() != nil:
		return // the process ends: that is no reason of the repository's
	case err != nil:
		refusal.Back = "earlier commits cannot be checked: " + source.Public(err).Error()
		return
	case found == nil:
		s.state.footing = s.state.footing.nothingBefore(head.Commit)
		refusal.Back = "no earlier commit is accepted, either"
		return
	}
	if newer := s.appliedOf(ctx, refused); newer != "" {
		s.state.footing = s.state.footing.nothingBefore(head.Commit)
		refusal.Back = "commit " + report.Short(newer) + " was applied, and is refused now: nothing older is"
		return
	}
	synced, _ := s.wasSynced(ctx, found.Commit) // the pass asks again
	s.state.footing = s.state.footing.wentBack(*found, synced)
}

// lastGood looks for it, and lists the commits that are refused, the newest first.
func (s *Loop) lastGood(ctx context.Context, head source.Revision, region string, emptied []string) (found *source.Revision, refused []string, err error) {
	trees := map[string]bool{head.Tree: head.Tree != ""} // that are refused
	refused = []string{head.Commit}
	var failed error
	err = s.Earlier(ctx, head.Commit, mostBack, func(rev source.Revision) (more bool) {
		if !trees[rev.Tree] {
			read, err := s.Read(ctx, rev.Files, region)
			switch {
			case err == nil && slices.ContainsFunc(read.Suspects(), func(name string) bool { return slices.Contains(emptied, name) }):
			case err == nil:
				found = &rev
				return false
			case !errors.As(err, new(manifest.Problems)):
				failed = err
				return false
			}
			trees[rev.Tree] = rev.Tree != ""
		}
		refused = append(refused, rev.Commit)
		return true
	})
	return found, refused, errors.Join(err, failed)
}

// appliedOf is the first of some commits that is known to have been in sync; "" if
// none is, or nobody answers.
func (s *Loop) appliedOf(ctx context.Context, commits []string) string {
	if s.Applied == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, askedBack)
	defer cancel()
	for _, commit := range commits {
		if ctx.Err() != nil {
			break
		}
		if was, err := s.Applied(ctx, commit); err != nil {
			break
		} else if was {
			return commit
		}
	}
	return ""
}

// wanted visits what the commits before one wanted, as far as they are accepted; nil where there is no history.
func (s *Loop) wanted(of source.Revision, region string) func(context.Context, func(string, []kind.Desired) bool) error {
	if s.Earlier == nil {
		return nil
	}
	return func(ctx context.Context, visit func(string, []kind.Desired) bool) error {
		trees := map[string]bool{of.Tree: of.Tree != ""} // that were visited
		err := s.Earlier(ctx, of.Commit, mostBack, func(rev source.Revision) (more bool) {
			if trees[rev.Tree] {
				return true
			}
			trees[rev.Tree] = rev.Tree != ""
			read, err := s.Read(ctx, rev.Files, region)
			return err != nil || visit(rev.Commit, read.Want)
		})
		return source.Public(err)
	}
}
