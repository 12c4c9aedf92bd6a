package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/group"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// given is the world as a planner reads it. Its methods read, and decide nothing.
type given struct{ *world.World }

// planner decides about every object of a world once. It takes the facts that only all decisions together show from the planner before it: see
// [Compute].
type planner struct {
	given
	verdicts
	found group.Found
	rivalry
	scene     *kind.Scene
	was       map[*kind.Live]manifest.Key // objects of former members of groups, and the member that each was, or was a part of
	unmade    map[manifest.Key]bool       // objects that are not created, since only frozen objects would use them
	steps     []plan.Step
	workloads []plan.Workload
	groups    *group.Groups // the groups of these steps
	compared  int           // names compared so far, to suggest a similar one
}

// rivalry says which objects have, or ask for, something that only one object can have.
type rivalry struct {
	holders  *holders                        // nil until first used.
	movesFor map[manifest.Key][]manifest.Key // for an object that asks: the wanted objects that have it now and have to be replaced first.
	keptFor  map[*kind.Live]manifest.Key     // objects without a manifest that stay, each with the new object that cannot be created in its place.
}

func newPlanner(in world.Input) *planner {
	return plannerOf(world.Of(in, bind.In(in.Have, in.Stack), nil), newVerdicts())
}

// plannerOf is a planner that starts with the facts that the planners before it found.
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
