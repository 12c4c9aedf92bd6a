package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// wasSynced reports whether the cloud was in sync with a commit before. If it was, a difference now is drift. An error means that this
// is not known yet.
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

var errNotKnown = errors.New("the forge does not answer, so the agent cannot know which differences are drift: nothing is changed until the forge answers; the agent tries again")

// leavesDrift reports whether some drift is reported but not corrected. Then a pass must not start until the agent can distinguish drift from the
// changes of a commit. If the pass took drift for such a change, it would undo a change about which people should decide. If it took such
// a change for drift, it would report the commit as in sync without applying it. If all drift is corrected, both cases lead to the same
// plan, and the pass does not wait for the forge. A policy that leaves all changes to people (Manual) leaves drift, too.
func (s *Loop) leavesDrift(want []kind.Desired, policies []plan.Policy) bool {
	return s.LeavesDrift || (plan.Plan{}).Apply(policies...).Manual != "" ||
		slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Options.Report != nil && *d.Options.Report })
}
