package decide

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/group"
)

// verdicts are the facts that follow only from all decisions together, and that change the next
// planner's decisions. These functions read them to decide about objects:
//
//	fact              read by
//	---------------   ---------------------------------------------------------------------------
//	locked            recreate, whyNotDelete, orphanStep
//	holding, spared   orphanStep
//	Spares, Sizes     lastPlanner, which makes the world with that number of members
//	Sizes             also workloadNotes and beyondSizeCause
//	Traffic           trafficOf: the references of fronts to members
//	Drains            mark, drifted
//	Frozen            freezeOf, for freeze and unmadeFor
//	StandIns          standsIn: the references of fronts to former members
//	Cures             cureOf, for decideOwned
//
// Package group and learnLocks read the facts, too, so that each of them is found only once.
type verdicts struct {
	locks
	learned group.Learned
}

func newVerdicts() verdicts { return verdicts{newLocks(), group.NothingLearned()} }

func (v verdicts) clone() verdicts { return verdicts{v.locks.cloneLocks(), v.learned.Clone()} }

// locks are the objects that a plan would delete or replace although another object still uses them.
type locks struct {
	locked  map[*kind.Live]cause.Cause // why an object cannot be deleted or replaced.
	holding map[*kind.Live]cause.Cause // for an object that would be detached: the object that it uses and that cannot be deleted because of it.
	spared  map[*kind.Live]cause.Cause // why an object without a manifest is kept for the frozen object that uses it.
}

func newLocks() locks {
	return locks{locked: map[*kind.Live]cause.Cause{}, holding: map[*kind.Live]cause.Cause{}, spared: map[*kind.Live]cause.Cause{}}
}

func (l locks) cloneLocks() locks {
	return locks{locked: maps.Clone(l.locked), holding: maps.Clone(l.holding), spared: maps.Clone(l.spared)}
}
