package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/group"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// given is the world as a planner reads it. Methods of it decide nothing.
type given struct{ *world.World }

// planner decides about every object of a world once. What only all decisions together show, it takes from the planner before: see
// [Compute].
type planner struct {
	given
	verdicts
	found group.Found
	rivalry
	scene     *kind.Scene
	was       map[*kind.Live]manifest.Key // the members of groups that are no more, or were a part of
	unmade    map[manifest.Key]bool       // what is not made since only what is left as it is would use it
	steps     []plan.Step
	workloads []plan.Workload
	groups    *group.Groups // of these steps
	compared  int           // names, to suggest one
}

// rivalry is who has, or asks for, what only one object can have.
type rivalry struct {
	holders  *holders                        // nil until somebody asks
	movesFor map[manifest.Key][]manifest.Key // those that have what an object asks for, and are to be replaced
	keptFor  map[*kind.Live]manifest.Key     // what stays since that cannot be made, for which it would make way
}

func newPlanner(in world.Input) *planner {
	return plannerOf(world.Of(in, bind.In(in.Have, in.Stack), nil), newVerdicts())
}

// plannerOf is one that knows so much of the decisions before.
func plannerOf(w *world.World, known verdicts) *planner {
	p := &planner{
		given: given{w}, verdicts: known,
		found: group.Found{Live: make(map[manifest.Key]*kind.Live, len(w.Want)), Ready: make(map[manifest.Key]bool, len(w.Want)), Doomed: map[manifest.Key]bool{},
			StandsFor: map[*kind.Live]*kind.Desired{}, Imports: map[*kind.Live][]manifest.Key{}},
		rivalry: rivalry{movesFor: map[manifest.Key][]manifest.Key{}, keptFor: map[*kind.Live]manifest.Key{}},
		unmade:  map[manifest.Key]bool{}, was: map[*kind.Live]manifest.Key{},
	}
	p.scene = &kind.Scene{Lookup: p.lookup, Marked: p.marked, Groups: p.APIGroups, Printer: p.Printer, StandsIn: p.standsIn}
	return p
}
