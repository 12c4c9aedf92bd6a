package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// wasSynced reports whether the cloud was equal to a commit before, so that what
// differs now is drift. Its error says that this is not known yet.
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

var errNotKnown = errors.New("whether the commit was in sync before is not known, as the forge does not answer; what differs may be drift, which nothing may follow from: it is tried again")

// leavesDrift reports whether there is drift that is not corrected by itself. Then a pass
// waits until it is known what is drift: it would bring back what people are to decide
// about if it took drift for a commit's change, and the other way round report a commit
// to be in sync of which nothing was applied. Where all drift is corrected the same
// follows in either case, and no forge holds that up.
func (s *Loop) leavesDrift(want []kind.Desired, policies []plan.Policy) bool {
	return s.LeavesDrift || (plan.Plan{}).Apply(policies...).Manual != "" ||
		slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Options.Report != nil && *d.Options.Report })
}
