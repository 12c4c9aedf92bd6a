package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// rollBack finds, for each group that shall go back, the commit that describes the state of its other members. It reports
// whether it found one for any group. The next pass carries out the rollback, so that the brake checks it.
func (r *run) rollBack(ctx context.Context) (back bool, failures []Failure) {
	for _, f := range r.round.plan.Failing {
		if f.Recalled || time.Since(f.Since) < cmp.Or(f.Limit, r.timing.PendingWait) {
			continue
		}
		found, err := r.findRollback(ctx, f)
		back = back || found
		if err != nil {
			failures = append(failures, Failure{Key: f.Group, Causes: cause.List{cause.Of(cause.NoHistory, r.secrets.Text(err.Error()))}})
		}
	}
	return back, failures
}

// repeatRollback finds the commits of groups that went back before, according to their marks. It reports whether it found
// one for any group. Without such a commit, the plan would apply the failed change again.
func (r *run) repeatRollback(ctx context.Context) (back bool) {
	for _, f := range r.round.plan.Failing {
		if f.Recalled {
			found, _ := r.findRollback(ctx, f) // without a history, the failed change is tried once more
			back = back || found
		}
	}
	return back
}

// findRollback finds the commit that a group can go back to. If the search fails, the next call searches again.
func (r *run) findRollback(ctx context.Context, f plan.Failing) (found bool, err error) {
	if r.rev.EarlierCommits == nil || r.engine.past().Searched(f) {
		return false, nil
	}
	f.Why = r.secrets.Text(f.Why)
	var to plan.Fallback
	err = r.rev.EarlierCommits(ctx, func(commit string, want []kind.Desired) bool {
		if f.ContainedIn(want) {
			to = plan.NewFallback(f, commit, want)
		}
		return to.Commit == ""
	})
	if err != nil || ctx.Err() != nil {
		return false, err
	}
	r.engine.past().NoteSearched(f, to)
	return to.Commit != "", nil
}
