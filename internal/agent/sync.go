package agent

import (
	"context"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// sync carries out a revision; syncInProject (project.go) calls it. If the plan is held, it asks the forge for approvals. If one covers the plan,
// it carries out the revision again with the approvals.
func (s *Loop) sync(ctx context.Context, rev engine.Revision) engine.Pass {
	pass := s.cloud.Sync(ctx, rev)
	if pass.First.Held == nil || s.Approvals == nil || ctx.Err() != nil {
		return pass
	}
	approved := s.Approvals(ctx, rev.Commit)
	if !slices.ContainsFunc(approved, func(a plan.Approval) bool { return a.Covers(pass.First) }) {
		return pass
	}
	rev.Approved = append(slices.Clip(rev.Approved), approved...)
	return s.cloud.Sync(ctx, rev)
}
