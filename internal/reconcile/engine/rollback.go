package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// searched is what the history was searched for: what a group is to be instead of what has that digest.
type searched struct {
	group  manifest.Key
	digest string
}

// fallBack finds, for the groups that shall go back, the commit that made their other members, and reports whether there
// is any. The next pass takes them there: so the brake sees it.
func (r *run) fallBack(ctx context.Context) (back bool, failures []Failure) {
	for _, f := range r.round.plan.Failing() {
		if f.Recalled || time.Since(f.Since) < cmp.Or(f.Limit, r.timing.Pending) {
			continue
		}
		found, err := r.goBack(ctx, f)
		back = back || found
		if err != nil {
			failures = append(failures, Failure{Key: f.Group, Reason: "shall go back, and the history of the repository cannot be read: " + r.secrets.Text(err.Error())})
		}
	}
	return back, failures
}

// recall does the same for groups that went back before, as their marks say, and reports whether there is any: the plan
// would have them try once more what did not work.
func (r *run) recall(ctx context.Context) (back bool) {
	for _, f := range r.round.plan.Failing() {
		if f.Recalled {
			found, _ := r.goBack(ctx, f) // without a history it is tried once more
			back = back || found
		}
	}
	return back
}

// goBack finds what a group can go back to. It is asked again where that is not known.
func (r *run) goBack(ctx context.Context, f plan.Failing) (found bool, err error) {
	e := r.engine
	if r.rev.Earlier == nil || e.searched[searched{f.Group, f.Digest}] {
		return false, nil
	}
	f.Why = r.secrets.Text(f.Why)
	var to plan.Fallback
	err = r.rev.Earlier(ctx, func(commit string, want []kind.Desired) bool {
		if f.MadeBy(want) {
			to = plan.NewFallback(f, commit, want)
		}
		return to.Commit == ""
	})
	if err != nil || ctx.Err() != nil {
		return false, err
	}
	if e.searched == nil {
		e.searched, e.fallbacks = map[searched]bool{}, map[manifest.Key]plan.Fallback{}
	}
	if e.searched[searched{f.Group, f.Digest}] = true; to.Commit != "" {
		e.fallbacks[f.Group] = to
	}
	return to.Commit != "", nil
}

// with adds to what a revision wants what groups are kept at.
func (e *Engine) with(want []kind.Desired) []kind.Desired {
	all := slices.Clip(want)
	for _, f := range e.fallbacks {
		all = append(all, f.Want...)
	}
	return all
}

// forgetFallbacks has groups try again of which something else is wanted now.
func (e *Engine) forgetFallbacks(rev Revision) {
	if len(e.searched) == 0 {
		return
	}
	digests, wanted := map[manifest.Key]string{}, map[string]bool{}
	for _, d := range rev.Want {
		digests[d.Key], wanted[d.Digest] = d.Digest, true
	}
	again := map[manifest.Key]bool{}
	for group, f := range e.fallbacks {
		if again[group] = digests[f.Noted] != f.Digest; again[group] {
			delete(e.fallbacks, group)
		}
	}
	maps.DeleteFunc(e.searched, func(s searched, _ bool) bool { return again[s.group] || !wanted[s.digest] })
}
