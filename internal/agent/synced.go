package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// wasSynced reports whether the cloud was in sync with a commit before, so that a difference now is drift. Its error means that this is
// not known yet.
func (s *Loop) wasSynced(ctx context.Context, commit string) (bool, error) {
	if s.state.sync.Was(commit) == insync.Ask && s.Applied != nil {
		was, err := s.Applied(ctx, commit)
		if err != nil {
			return false, err
		}
		s.state.sync = s.state.sync.Answered(commit, was)
	}
	return s.state.sync.Was(commit) == insync.Yes, nil
}

var errNotKnown = errors.New("the forge does not answer, so differences may be drift: nothing is changed until it answers; it is tried again")

// leavesDrift reports whether some drift is only reported, not corrected. Then a pass waits until drift is known from a commit's change.
// If it took drift for a change, it would undo what people should decide. If it took a change for drift, it would report a commit as in
// sync although nothing of it was applied. Where all drift is corrected, both cases lead to the same plan, and the pass does not wait for
// the forge.
func (s *Loop) leavesDrift(want []kind.Desired, policies []plan.Policy) bool {
	return s.LeavesDrift || (plan.Plan{}).Apply(policies...).Manual != "" ||
		slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Options.Report != nil && *d.Options.Report })
}
