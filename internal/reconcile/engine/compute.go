package engine

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// compute compares a revision with a snapshot.
func (e *Engine) compute(rev Revision, have kind.Snapshot, past world.Past) plan.Plan {
	var requested world.Requested
	if rev.Recreate {
		requested = world.Requested{Targets: rev.Targets, IDs: rev.firstIDs}
	}
	p := decide.Compute(world.Input{
		Stack: e.Stack, Commit: rev.Commit, Kinds: e.Kinds, Want: rev.Want, Have: have, Synced: rev.Synced, PreviousSums: rev.PreviousSums, Past: past,
		Rules: world.Rules{Replace: e.Replace, UseForeign: e.UseForeign, Healing: rev.healing, Approving: len(rev.Approved) > 0, Requested: requested},
		Now:   time.Now(), Printer: e.Printer, Index: rev.index,
	})
	p.Ignored = rev.Ignored
	return p.Apply(e.Policies...).Apply(rev.Policies...)
}
