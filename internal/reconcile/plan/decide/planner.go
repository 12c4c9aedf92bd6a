package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/group"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// worldReader is the world, with read-only methods.
type worldReader struct{ *world.World }

// planner decides about every object of a world once. The facts that follow only from all decisions together come from the previous planner
// (see [Compute]). The fields of embedded structs are used as its own:
//
//	embedded in world.World        such as
//	----------------------------   -------------------------------------------------------
//	world.Input                    Synced, Now, Printer, PreviousSums
//	world.Past, within Input       KnownIDs, Made, Begun, Sick, Patients, Seen (of memory)
//	world.Rules, within Input      Replace, Healing
//	world.Wanted                   ByKey, ByOwner
//	plan.Digests                   Applied, InMark
//	plan.Stock                     Owned, OwnedKinds
type planner struct {
	worldReader
	verdicts
	found group.Found
	rivalry
	lookups        *kind.PlanLookups
	formerMemberOf map[*kind.Live]manifest.Key // objects of former members of groups, with the member that each belonged to
	unmade         map[manifest.Key]bool       // objects that are not created, since only frozen objects would use them
	steps          []plan.Step
	workloads      []plan.Workload
	groups         *group.Groups // the groups that the steps belong to
	compared       int           // number of names compared so far to suggest similar ones
}

// rivalry says which objects have, or ask for, a value that only one object can have.
type rivalry struct {
	holders  *holders                        // nil until first used.
	movesFor map[manifest.Key][]manifest.Key // for an object that claims a value: the desired objects that have the value now and have to be replaced first.
	keptFor  map[*kind.Live]manifest.Key     // objects without a manifest that are kept, each with the new object that cannot be created instead.
}

func newPlanner(in world.Input) *planner {
	return plannerOf(world.New(in, bind.NewCloud(in.Have, in.Stack), nil), newVerdicts())
}

// release drops what only the decisions need. The planner stays in memory for as long as its plan: the view of each step refers to it, and
// looks up other objects with it (see [planner.lookup]).
func (p *planner) release() {
	p.found.DesiredOf, p.found.Imports = nil, nil
	p.rivalry, p.formerMemberOf, p.unmade, p.steps, p.workloads, p.groups = rivalry{}, nil, nil, nil, nil, nil
}

// plannerOf returns a planner that starts with the facts that the previous planners found.
func plannerOf(w *world.World, known verdicts) *planner {
	p := &planner{
		worldReader: worldReader{w}, verdicts: known,
		found: group.Found{Live: make(map[*kind.Desired]*kind.Live, len(w.Want)), Ready: make(map[*kind.Desired]bool, len(w.Want)), GetsNewID: map[manifest.Key]bool{},
			DesiredOf: map[*kind.Live]*kind.Desired{}, Imports: map[*kind.Live][]manifest.Key{}},
		rivalry: rivalry{movesFor: map[manifest.Key][]manifest.Key{}, keptFor: map[*kind.Live]manifest.Key{}},
		unmade:  map[manifest.Key]bool{}, formerMemberOf: map[*kind.Live]manifest.Key{},
	}
	p.lookups = &kind.PlanLookups{Lookup: p.lookup, Marked: p.markedFacts, Groups: p.APIGroups, Printer: p.Printer, StandsIn: p.standsIn}
	return p
}

// noteFound stores the object of the cloud that was found for a desired object.
func (p *planner) noteFound(d *kind.Desired, live *kind.Live) {
	p.found.Live[d], p.found.Ready[d] = live, live.Phase.Usable()
}
