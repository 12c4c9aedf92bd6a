package agent

import (
	"cmp"
	"context"
	"errors"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// choose verifies and reads rev. If it is not verified, or if its manifests are refused, choose returns the last accepted revision
// instead, and also if the signatures of rev cannot be checked. ok is false if there is none.
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
	var failed *checkError
	if errors.As(err, &failed) {
		good, read, keptErr := s.keep(ctx, region)
		if keptErr != nil {
			run.Err = failed.err
			return rev, resolve.Reading{}, false
		}
		run.FetchErr = cmp.Or(run.FetchErr, failed.err)
		return good, read, true
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
	good, read, err := s.keep(ctx, region)
	if err != nil {
		return rev, resolve.Reading{}, false
	}
	return good, read, true
}

var errNothingKept = errors.New("no revision was accepted yet")

// keep verifies and reads the last accepted revision.
func (s *Loop) keep(ctx context.Context, region string) (good source.Revision, read resolve.Reading, err error) {
	if !s.state.inForce.exists() {
		return good, read, errNothingKept
	}
	if good, err = s.verify(ctx, s.state.inForce.good); err != nil { // the keys may have changed
		return good, read, err
	}
	if read, err = s.Read(ctx, good.Files, region); err != nil {
		return good, read, err
	}
	s.storeVerified(good.Commit)
	return good, read, nil
}

// checkError is a failure that says nothing about the signatures of a revision, such as a server that does not answer.
type checkError struct{ err error }

func (e *checkError) Error() string { return e.err.Error() }

func (e *checkError) Unwrap() error { return e.err }

// accept verifies and reads a revision. A verified one with the files of the last accepted revision takes over the knowledge about that
// revision. emptied are the files for which it was refused, if it was.
func (s *Loop) accept(ctx context.Context, rev source.Revision, region string) (_ source.Revision, read resolve.Reading, emptied []string, err error) {
	rev, err = s.verify(ctx, rev)
	switch {
	case err != nil && Unverified(err) == nil:
		return rev, read, nil, &checkError{err}
	case err != nil:
		return rev, read, nil, err
	}
	if good := s.state.inForce.good; sameFiles(rev, good) && rev.Commit != good.Commit {
		s.carry(good.Commit, rev.Commit)
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
