package agent

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/source"
)

// In a project that holds nothing of the stack, everything would be created. Swapped credentials lead to such a project. So, if the
// configuration names no project, the past is compared:
//
//	known from                                   a plan that creates is held
//	-------------------------------------------  -----------------------------------------
//	this process, or its folder: the project     in another project
//	  in which the stack was last in sync
//	the forge: the number of objects with        where nothing bears the stack's mark
//	  which a commit was in sync

// mostPast is how many commits the forge is asked about.
const mostPast = 20

// elsewhere returns the policies that hold a plan if the stack was in sync in another project.
func (s *Loop) elsewhere() []plan.Policy {
	project := s.lastProject()
	switch {
	case s.AnyProject:
		return nil
	case project != "" && s.cloud.Project != "" && project != s.cloud.Project:
		return []plan.Policy{guard.Elsewhere(cause.Of(cause.OtherCredentials, project, s.cloud.Project), true)}
	case project == "" && s.Existed != nil && !s.state.asked.nowhere:
		return []plan.Policy{guard.Elsewhere(cause.Of(cause.PerhapsInSync), false)}
	}
	return nil
}

// syncHere is sync, but asks the forge first when the project holds nothing of the stack.
func (s *Loop) syncHere(ctx context.Context, rev engine.Revision, at source.Revision) engine.Pass {
	own := s.elsewhere()
	rev.Policies = append(rev.Policies, own...)
	pass := s.sync(ctx, rev)
	if pass.First.Elsewhere.Code != cause.PerhapsInSync || ctx.Err() != nil {
		return pass
	}
	commit, existed, err := s.existed(ctx, at)
	rev.Policies = rev.Policies[:len(rev.Policies)-len(own)]
	switch {
	case err != nil:
		return pass
	case existed:
		rev.Policies = append(rev.Policies, guard.Elsewhere(cause.Of(cause.InSyncElsewhere, commit), false))
	default:
		s.state.asked.nowhere = true
	}
	return s.sync(ctx, rev)
}

// existed returns the newest commit that the forge knows as in sync, and whether it had any object.
func (s *Loop) existed(ctx context.Context, at source.Revision) (commit string, existed bool, err error) {
	known := false
	look := func(rev source.Revision) (more bool) {
		known, existed, err = s.Existed(ctx, rev.Commit)
		commit = rev.Commit
		return err == nil && !known
	}
	if look(at) && s.History != nil {
		if past := s.History(ctx, at.Commit, mostPast, look); err == nil {
			err = past
		}
	}
	return commit, existed, err
}
