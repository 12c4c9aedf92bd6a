package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// fallBack finds, for the groups that shall go back, the commit that made their other members. The next pass
// takes them there: so the brake sees it.
func (r *run) fallBack(ctx context.Context) (failures []Failure) {
	e := r.engine
	for _, f := range r.round.plan.Failing() {
		if r.rev.Earlier == nil || time.Since(f.Since) < cmp.Or(f.Limit, r.timing.Pending) || e.searched[f.Group] == f.Digest {
			continue
		}
		f.Why = r.secrets.Text(f.Why)
		var found plan.Fallback
		err := r.rev.Earlier(ctx, func(commit string, want []kind.Desired) bool {
			if f.MadeBy(want) {
				found = plan.NewFallback(f, commit, want)
			}
			return found.Commit == ""
		})
		switch {
		case ctx.Err() != nil:
			return failures
		case err != nil:
			failures = append(failures, Failure{Key: f.Group, Reason: "shall go back, and the history of the repository cannot be read: " + r.secrets.Text(err.Error())})
			continue // the next pass asks again
		}
		if e.searched == nil {
			e.searched, e.fallbacks = map[manifest.Key]string{}, map[manifest.Key]plan.Fallback{}
		}
		if e.searched[f.Group] = f.Digest; found.Commit != "" {
			e.fallbacks[f.Group] = found
		}
	}
	return failures
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
	digests := map[manifest.Key]string{}
	for _, d := range rev.Want {
		digests[d.Key] = d.Digest
	}
	for group, f := range e.fallbacks {
		if digests[f.Member] != f.Digest {
			delete(e.fallbacks, group)
			delete(e.searched, group)
		}
	}
}
