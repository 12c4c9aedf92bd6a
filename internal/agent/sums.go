package agent

import (
	"context"
	"errors"
	"io/fs"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// If people decide about drift, a new process must not recreate an object that somebody deleted, because the previous process left that
// decision to them. If the forge remembers which commit was in sync, the agent asks the forge. Otherwise, the objects that the previous commit
// wanted count as the objects that existed.

// Wanted returns the checksum of each object that the newest acceptable commit of past wants in the
// cloud, without imports. It returns nil if there is no such commit.
func Wanted(ctx context.Context, past resolve.Past, read func(fs.FS) ([]kind.Desired, error)) (map[manifest.Key]checksum.Sum, error) {
	var sums map[manifest.Key]checksum.Sum
	var failed error
	err := past(ctx, func(_ string, files fs.FS) (more bool) {
		want, err := read(files)
		switch {
		case errors.As(err, new(manifest.Problems)):
			return true
		case err != nil:
			failed = err
			return false
		}
		sums = make(map[manifest.Key]checksum.Sum, len(want))
		for i := range want {
			if d := &want[i]; !d.Virtual && !d.Unmanaged {
				sums[d.Key] = d.Sum
			}
		}
		return false
	})
	return sums, errors.Join(failed, err)
}

// sumsBefore returns the checksums of the manifests of the commit before the first commit of this process. It returns nil unless people
// decide about drift and no forge remembers which commit was in sync.
func (s *Loop) sumsBefore(ctx context.Context, rev source.Revision, read resolve.Reading, policies []plan.Policy) (map[manifest.Key]checksum.Sum, error) {
	switch {
	case s.Applied != nil || s.History == nil || rev.Commit == "" || !s.leavesDrift(read.Want, policies):
		return nil, nil
	case s.state.pastAnswers.computed:
		return s.state.pastAnswers.wanted, nil
	}
	before, err := Wanted(ctx, PastOf(s.History, rev), func(files fs.FS) ([]kind.Desired, error) {
		read, err := s.Read(ctx, files, s.cloud.Region)
		return read.Want, err
	})
	if err != nil {
		return nil, err
	}
	s.state.pastAnswers.wanted, s.state.pastAnswers.computed = before, true
	return before, nil
}
