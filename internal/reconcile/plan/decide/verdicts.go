package decide

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/group"
)

// verdicts are what can be known only once everything is decided, and changes what is
// decided then.
type verdicts struct {
	locks
	learned group.Learned
}

func newVerdicts() verdicts { return verdicts{newLocks(), group.NothingLearned()} }

func (v verdicts) clone() verdicts { return verdicts{v.locks.cloneLocks(), v.learned.Clone()} }

// locks are what a plan would delete or replace while something goes on using it.
type locks struct {
	locked  map[*kind.Live]cause.Cause // why what has to go cannot
	holding map[*kind.Live]cause.Cause // what has to go and cannot, for what would be detached and uses it
	spared  map[*kind.Live]cause.Cause // why what has to go is kept for what uses it
}

func newLocks() locks {
	return locks{locked: map[*kind.Live]cause.Cause{}, holding: map[*kind.Live]cause.Cause{}, spared: map[*kind.Live]cause.Cause{}}
}

func (l locks) cloneLocks() locks {
	return locks{locked: maps.Clone(l.locked), holding: maps.Clone(l.holding), spared: maps.Clone(l.spared)}
}
