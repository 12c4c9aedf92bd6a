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

// view gives a desired object the shape in which its kind sees it.
func (p *planner) view(d *kind.Desired, spec any) kind.Want {
	return kind.NewWant(d, spec, p.mark(d), kind.Surroundings{Scene: p.scene, Former: p.identities(d)})
}

func (p *planner) lookup(key manifest.Key) kind.Ref {
	ref := kind.Ref{Key: key}
	if d := p.ByKey[key]; d != nil && d.Virtual {
		ref.Ready, ref.Data = true, d.Data
	}
	if d := p.ByKey[key]; d != nil && d.Spec != nil && !d.Virtual && !d.Unmanaged && p.Have[key.Kind].Blind(d.Entry) == nil {
		ref = ref.MadeBy(p.KindOf[key.Kind], d.Spec)
	}
	if live := p.found.Live[key]; live != nil {
		ref.Anew = p.found.Doomed[key]
		ref.Ready, ref.ID, ref.Facts = p.found.Ready[key], live.ID, live.Facts
	}
	ref.Traffic = p.trafficOf(key)
	ref.Spare = p.ByKey[key] == nil && (p.Dropped[key] || p.Further != nil && p.Further.ByKey[key] != nil)
	return ref
}

// losses says what goes with the objects that are deleted or replaced, and what
// others no longer have.
func (p *planner) losses() {
	for i, s := range p.steps {
		switch {
		case s.Unused:
		case s.Action.Destroys() && !s.Surplus:
			p.steps[i].Loss = p.KindOf[s.Key.Kind].Info.Loss
		case s.Action == plan.Update:
			for _, c := range s.Changes {
				if c.Loss != "" {
					p.steps[i].Loss = append(p.steps[i].Loss, c.Loss)
				}
			}
		}
	}
}
