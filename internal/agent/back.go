package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

const (
	// maxBack is the maximum number of commits that fallBack goes back.
	maxBack = 50
	// askTime is the time limit for asking the forge whether refused commits were in sync.
	askTime = 30 * time.Second
)

// fallBack searches the commits before a refused commit for the newest one whose manifests are accepted. The agent then makes the
// cloud equal to that commit. A process that had run all the time would do the same.
//
// A commit that is known to have been in sync is applied like any other. For another commit, it is unknown whether a newer commit,
// which is refused now, was applied in the meantime. Such a commit is applied with caution (see [guard.Cautious]). If a refused commit
// is known to have been applied, fallBack does not go back at all. A commit is not accepted either if the files that head has emptied
// define no objects in it.
func (s *Loop) fallBack(ctx context.Context, head source.Revision, region string, emptied []string, refusal *report.Refusal) {
	if s.Earlier == nil || s.state.inForce.noGoodBefore == head.Commit {
		return
	}
	found, refused, err := s.lastGood(ctx, head, region, emptied, refusal)
	switch {
	case err != nil && ctx.Err() != nil:
		return // the process is ending, so the error says nothing about the repository
	case err != nil:
		refusal.Back = "earlier commits cannot be checked: " + source.Public(err).Error()
		return
	case found == nil:
		s.state.inForce = s.state.inForce.nothingBefore(head.Commit)
		refusal.Back = "no earlier commit is accepted"
		return
	}
	if newer := s.appliedOf(ctx, refused); newer != "" {
		s.state.inForce = s.state.inForce.nothingBefore(head.Commit)
		refusal.Back = "commit " + report.Short(newer) + " was applied and is now refused, so no older commit is applied"
		return
	}
	synced, _ := s.wasSynced(ctx, found.Commit) // after an error, the pass asks the forge again
	s.state.inForce = s.state.inForce.wentBack(*found, synced)
}

// lastGood returns the newest accepted commit before head, and the refused commits, the newest first.
func (s *Loop) lastGood(ctx context.Context, head source.Revision, region string, emptied []string, refusal *report.Refusal) (found *source.Revision, refused []string, err error) {
	trees := map[string]bool{head.Tree: head.Tree != "" && !refusal.Unverified} // trees that are refused
	refused = []string{head.Commit}
	var failed error
	err = s.Earlier(ctx, head.Commit, maxBack, func(rev source.Revision) (more bool) {
		if !trees[rev.Tree] {
			rev, err := s.verify(ctx, rev)
			if Unverified(err) != nil {
				refused = append(refused, rev.Commit)
				return true
			}
			var read resolve.Reading
			if err == nil {
				read, err = s.Read(ctx, rev.Files, region)
			}
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

// appliedOf returns the first of the commits that is known to have been in sync. It returns "" if none is, or if the forge does not
// answer.
func (s *Loop) appliedOf(ctx context.Context, commits []string) string {
	if s.Applied == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
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

// walk visits earlier commits, see [Source.History].
type walk = func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error

// earlierObjects returns a function that visits earlier commits, with the objects that they want. It goes back at most maxBack commits, and skips
// refused ones. It returns nil if there is no history.
func (s *Loop) earlierObjects(past walk, of source.Revision, region string) func(context.Context, func(string, []kind.Desired) bool) error {
	if past == nil {
		return nil
	}
	return func(ctx context.Context, visit func(string, []kind.Desired) bool) error {
		trees := map[string]bool{of.Tree: of.Tree != ""} // trees that were visited
		var failed error
		err := past(ctx, of.Commit, maxBack, func(rev source.Revision) (more bool) {
			if trees[rev.Tree] {
				return true
			}
			trees[rev.Tree] = rev.Tree != ""
			read, err := s.Read(ctx, rev.Files, region)
			if problems := (manifest.Problems)(nil); err != nil && !errors.As(err, &problems) {
				failed = err
				return false
			}
			return err != nil || visit(rev.Commit, read.Want)
		})
		return cmp.Or(failed, source.Public(err))
	}
}
