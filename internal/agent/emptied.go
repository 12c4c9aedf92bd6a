package agent

import (
	"context"
	"io/fs"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// mostEmptied is how many commits are looked at for what a file without an object was, after a start.
const mostEmptied = 20

// emptied reports the files of a commit whose objects are gone although the files are there. They are compared with the
// last commit that was accepted; after a start, and while that commit was found by going back, with the branch's
// history.
func (s *Loop) emptied(ctx context.Context, rev source.Revision, read resolve.Reading) error {
	if s.Emptied == nil || len(read.Suspects()) == 0 {
		return nil
	}
	return s.Emptied(ctx, read, func(ctx context.Context, visit func(string, fs.FS) bool) error {
		if kept := s.state.footing; kept.on == firm {
			visit(kept.good.Commit, kept.good.Files)
			return nil
		}
		if s.History == nil || rev.Commit == "" {
			return nil
		}
		return PastOf(s.History, rev)(ctx, visit)
	})
}

// PastOf is the past of a revision, as far as its branch's history is looked at for what files held.
func PastOf(history func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error, of source.Revision) resolve.Past {
	return func(ctx context.Context, visit func(string, fs.FS) bool) error {
		seen := map[string]bool{of.Tree: of.Tree != ""}
		return source.Public(history(ctx, of.Commit, mostEmptied, func(rev source.Revision) (more bool) {
			if seen[rev.Tree] {
				return true
			}
			seen[rev.Tree] = rev.Tree != ""
			return visit(rev.Commit, rev.Files)
		}))
	}
}
