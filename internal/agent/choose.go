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

// choose reads rev. If the manifests of rev are refused, it returns the last accepted revision instead. ok is
// false if there is none.
func (s *Loop) choose(ctx context.Context, run *report.Run, rev source.Revision) (_ source.Revision, read resolve.Reading, ok bool) {
	region := ""
	if s.cloud != nil {
		region = s.cloud.Region
	}
	end := trace.Begin(ctx, "load", nil)
	read, err := s.Read(ctx, rev.Files, region)
	end(err != nil)
	var emptied []string
	if err == nil {
		if err = s.emptied(ctx, rev, read); errors.As(err, new(manifest.Problems)) {
			emptied = read.Suspects()
		}
	}
	if err == nil {
		s.state.inForce = s.state.inForce.accepted(rev)
		return rev, read, true
	}
	var problems manifest.Problems
	if !errors.As(err, &problems) {
		run.Err = err
		return rev, resolve.Reading{}, false
	}
	run.Refused = &report.Refusal{Commit: rev.Commit, Problems: problems}
	if !s.state.inForce.exists() {
		s.fallBack(ctx, rev, region, emptied, run.Refused)
	}
	if !s.state.inForce.exists() {
		return rev, resolve.Reading{}, false
	}
	run.Refused.Cautious = s.state.inForce.certainty == cautious
	if read, err = s.Read(ctx, s.state.inForce.good.Files, region); err != nil {
		return rev, resolve.Reading{}, false
	}
	return s.state.inForce.good, read, true
}
