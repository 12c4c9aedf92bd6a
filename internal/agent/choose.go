package agent

import (
	"context"
	"errors"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// choose verifies and reads rev. If it is not verified, or if its manifests are refused, choose returns the last accepted revision
// instead. ok is false if there is none.
func (s *Loop) choose(ctx context.Context, run *report.Run, rev source.Revision) (_ source.Revision, read resolve.Reading, ok bool) {
	region := ""
	if s.cloud != nil {
		region = s.cloud.Region
	}
	rev, read, emptied, err := s.accept(ctx, rev, region)
	if err == nil {
		s.state.inForce = s.state.inForce.accepted(rev)
		s.storeVerified(rev.Commit)
		return rev, read, true
	}
	problems := Unverified(err)
	run.Refused = &report.Refusal{Commit: rev.Commit, Problems: problems, Unverified: problems != nil}
	if problems == nil && !errors.As(err, &run.Refused.Problems) {
		run.Refused, run.Err = nil, err
		return rev, resolve.Reading{}, false
	}
	if !s.state.inForce.exists() {
		s.fallBack(ctx, rev, region, emptied, run.Refused)
	}
	if !s.state.inForce.exists() {
		return rev, resolve.Reading{}, false
	}
	run.Refused.Cautious = s.state.inForce.certainty == cautious
	good, err := s.verify(ctx, s.state.inForce.good) // the keys may have changed
	if err != nil {
		return rev, resolve.Reading{}, false
	}
	if read, err = s.Read(ctx, good.Files, region); err != nil {
		return rev, resolve.Reading{}, false
	}
	s.storeVerified(good.Commit)
	return good, read, true
}

// accept verifies and reads a revision. emptied are the files for which it was refused, if it was.
func (s *Loop) accept(ctx context.Context, rev source.Revision, region string) (_ source.Revision, read resolve.Reading, emptied []string, err error) {
	if rev, err = s.verify(ctx, rev); err != nil {
		return rev, read, nil, err
	}
	end := trace.Begin(ctx, "load", nil)
	read, err = s.Read(ctx, rev.Files, region)
	end(err != nil)
	if err == nil {
		if err = s.emptied(ctx, rev, read); errors.As(err, new(manifest.Problems)) {
			emptied = read.Suspects()
		}
	}
	return rev, read, emptied, err
}
