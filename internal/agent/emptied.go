package agent

import (
	"context"
	"io/fs"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// maxEmptied is the maximum number of commits that are searched, after a start, for the earlier content of a
// file without objects.
const maxEmptied = 20

// emptied reports the files that still exist in a commit but no longer define objects. It compares them with the last
// accepted commit. If no commit has been accepted since the start, or if the accepted one is applied with caution (see
// fallBack), it compares them with the branch's history.
func (s *Loop) emptied(ctx context.Context, rev source.Revision, read resolve.Reading) error {
	if s.Emptied == nil || len(read.Suspects()) == 0 {
		return nil
	}
	return s.Emptied(ctx, read, func(ctx context.Context, visit func(string, fs.FS) bool) error {
		if kept := s.state.inForce; kept.certainty == certain {
			visit(kept.good.Commit, kept.good.Files)
			return nil
		}
		if s.History == nil || rev.Commit == "" {
			return nil
		}
		return PastOf(s.History, rev)(ctx, visit)
	})
}

// PastOf returns the past of a revision: the last [maxEmptied] commits of its branch, each tree once.
func PastOf(history func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error, of source.Revision) resolve.Past {
	return func(ctx context.Context, visit func(string, fs.FS) bool) error {
		seen := map[string]bool{of.Tree: of.Tree != ""}
		return source.Public(history(ctx, of.Commit, maxEmptied, func(rev source.Revision) (more bool) {
			if seen[rev.Tree] {
				return true
			}
			seen[rev.Tree] = rev.Tree != ""
			return visit(rev.Commit, rev.Files)
		}))
	}
}
