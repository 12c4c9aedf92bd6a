package agent

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/source"
)

// If a project has no objects of the stack, the plan would create everything. Swapped credentials lead to such a project. So,
// unless the configuration names a project, the agent compares the project with the past. It holds a plan that creates objects in
// these cases:
//
//	knowledge of the past                          the plan is held if
//	---------------------------------------------  ----------------------------------------------
//	the project in which the stack was last in     the credentials' project is another one
//	  sync (from this process or from its record)
//	the number of objects with which a commit was  the number is not 0, and no object in the
//	  in sync (from the forge)                       project has the stack's mark

// maxPast is the maximum number of commits that the forge is asked about.
const maxPast = 20

// projectPolicies returns policies that hold the plan if the stack was in sync in another project, or if that is
// possible.
func (s *Loop) projectPolicies() []plan.Policy {
	project := s.lastProject()
	switch {
	case s.AnyProject:
		return nil
	case project != "" && s.cloud.Project != "" && project != s.cloud.Project:
		return []plan.Policy{guard.HoldIfOtherProject(cause.Of(cause.OtherCredentials, project, s.cloud.Project), true)}
	case project == "" && s.Existed != nil && !s.state.pastAnswers.noneWithObjects:
		return []plan.Policy{guard.HoldIfOtherProject(cause.Of(cause.PerhapsInSync), false)}
	}
	return nil
}

// syncInProject calls sync. If that finds no object of the stack in the project, it asks the forge about the past,
// and calls sync again with the answer.
func (s *Loop) syncInProject(ctx context.Context, revision engine.Revision, rev source.Revision) engine.Pass {
	own := s.projectPolicies()
	revision.Policies = append(revision.Policies, own...)
	pass := s.sync(ctx, revision)
	if pass.First.Elsewhere.Code != cause.PerhapsInSync || ctx.Err() != nil {
		return pass
	}
	commit, existed, err := s.existed(ctx, rev)
	revision.Policies = revision.Policies[:len(revision.Policies)-len(own)]
	switch {
	case err != nil:
		return pass
	case existed:
		revision.Policies = append(revision.Policies, guard.HoldIfOtherProject(cause.Of(cause.InSyncElsewhere, commit), false))
	default:
		s.state.pastAnswers.noneWithObjects = true
	}
	return s.sync(ctx, revision)
}

// existed returns the newest commit that was in sync according to the forge, and whether the commit had any
// object then.
func (s *Loop) existed(ctx context.Context, at source.Revision) (commit string, existed bool, err error) {
	known := false
	look := func(rev source.Revision) (more bool) {
		known, existed, err = s.Existed(ctx, rev.Commit)
		commit = rev.Commit
		return err == nil && !known
	}
	if look(at) && s.History != nil {
		if past := s.History(ctx, at.Commit, maxPast, look); err == nil {
			err = past
		}
	}
	return commit, existed, err
}
