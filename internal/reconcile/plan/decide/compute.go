package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/group"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// Compute compares the desired objects of a stack with the objects of the cloud. It is a pure function, and returns a plan for any input.
// A manifest is "absent" if it does not exist and other manifests refer to its object.
//
//	the manifest  the stack's object   the situation                                        the step
//	------------  -------------------  ---------------------------------------------------  ----------------
//	any           unknown              the list failed                                      wait
//	an import     -                    exactly one object matches                           keep
//	an import     -                    no object matches, or several match                  wait, refuse
//	exists        several              it is unknown which of them belongs to the manifest  refuse
//	exists        shared or copied     the owner mark proves nothing                        refuse
//	exists        none                 another object has the name                          refuse
//	exists        none                 an entry whose list failed may have the object       wait
//	exists        none                 none of these reasons                                create
//	exists        any                  the object is suspended                              keep
//	exists        any                  a value of a store that it needs is unknown          wait
//	exists        one                  the object equals the manifest                       keep
//	exists        one                  a changeable field differs                           update
//	exists        one                  a fixed field differs                                replace, refuse
//	exists        one                  its group freezes it                                 keep
//	exists        one                  it does the work of a member that does not serve     update, replace
//	exists        one                  it was created just now, and failed                  replace
//	exists        one                  it has failed for good                               replace, refuse
//	exists        one                  the cloud is working on it                           wait
//	is gone       one                  it was a part of a suspended object                  keep
//	is gone       one                  its mark says that it stays                          keep
//	is gone       one                  its mark says that it is detached                    detach
//	is gone       several, or shared   it is unknown which of them is the stack's           refuse
//	is gone       copied               the owner mark proves nothing                        refuse
//	is gone       one                  the cloud is deleting it                             wait
//	is gone       one                  no object uses it, or its users are deleted first    delete
//	is gone       one                  an object that stays uses it                         refuse
//	absent        any                  -                                                    wait, refuse
func Compute(in world.Input) plan.Plan {
	p, _ := lastPlanner(in)
	defer p.release()
	return p.finish()
}

// lastPlanner returns the last planner, which found no new facts, and the number of planners that were needed.
//
// The facts that follow only from all decisions together are a fixpoint (decision 0054). For example, the changes of all members decide which
// member a group freezes, and a frozen member decides about the objects that it uses. So neither can be decided first. A planner gets all
// facts before it decides about the first object, and decides about each object once. It writes the new facts into a copy for the next
// planner. Facts are only added, once for each object, member or group. So the repetition ends:
//
//	planners  the plan                                                          share of 29,646 plans of the tests
//	--------  ----------------------------------------------------------------  ----------------------------------
//	one       has no such facts                                                 95.2 %
//	two       has facts that follow from the first decisions                    4.8 %
//	three     has a fact that follows from another one: a member that is        eleven plans
//	          frozen keeps a volume, and then the volume must not be deleted
//
// For the first planner, all facts are empty, except that Spares and Sizes count the members that exist. The functions that read them are in the
// table of [verdicts].
func lastPlanner(in world.Input) (p *planner, times int) {
	in = in.WithFallbacks()
	known, optional, want, cloud := newVerdicts(), world.FindOptionalMembers(in), in.Want, bind.NewCloud(in.Have, in.Stack)
	worldWith := func(known verdicts) *world.World {
		in.Want = optional.Cut(want, known.learned.Spares, known.learned.Sizes)
		return world.New(in, cloud, optional)
	}
	w := worldWith(known)
	if optional != nil {
		first := plannerOf(w, known) // it only counts the spares and members that exist now, and decides nothing
		known.learned.Spares, known.learned.Sizes = first.sparesThere(), first.sizesNow()
	}
	for news := true; news; times++ {
		if optional != nil { // the world changes only with the number of members
			w = worldWith(known)
		}
		p = plannerOf(w, known)
		p.decideAll()
		known, news = p.learn()
	}
	return p, times
}

// learn returns the facts that follow from all decisions together, and reports whether any of them is new to this planner.
// If there are no new locks, learn sets p.groups, which finish needs.
func (p *planner) learn() (next verdicts, news bool) {
	next = p.verdicts.clone()
	if p.learnLocks(next) { // this comes first, because a group needs no spare for a member that cannot be replaced
		return next, true
	}
	p.groups = group.Of(p.World, p.learned, p.found, p.formerMemberOf, p.steps)
	return next, p.groups.Learn(next.learned)
}

func (p *planner) decideAll() {
	workloads := 0
	for i := range p.Want {
		if p.Want[i].Virtual { // the cloud has no such object, so none waits for it
			workloads++
			p.found.Ready[&p.Want[i]] = true
		}
	}
	p.steps, p.workloads = make([]plan.Step, 0, len(p.Want)-workloads), make([]plan.Workload, 0, workloads)
	p.foresee()
	for i := range p.Want {
		d := &p.Want[i]
		if d.Virtual {
			p.workloads = append(p.workloads, plan.Workload{Key: d.Key, Parent: d.Parent, Origin: d.Origin, Notes: p.workloadNotes(d), Data: d.Data != nil, Want: d})
			continue
		}
		p.steps = append(p.steps, p.decide(d))
	}
	p.awaitMoves()
	p.orphans()
	p.steps = append(p.steps, p.straySteps()...)
	p.findFormerMembers()
}

// decide makes the step for one desired object. All objects that it refers to were decided before.
func (p *planner) decide(d *kind.Desired) plan.Step {
	if d.Absent() {
		return p.decideAbsent(d)
	}
	view := p.view(d, d.Spec)
	s := plan.Step{Key: d.Key, Source: plan.Source{Origin: d.Origin, Parent: d.Parent}, Remarks: plan.Remarks{Notes: d.Notes}, Object: plan.Object{Want: d, Viewed: &view}}
	c, known := p.Have[d.Key.Kind]
	switch {
	case !known:
		return s.WithAction(plan.Wait, cause.Of(cause.NotLooked))
	case c.Unlisted(d.Entry) != nil:
		s.Error = true
		return s.WithAction(plan.Wait, cause.Of(cause.Unlisted, entryPrefix(d.Entry)+c.Unlisted(d.Entry).Error()))
	case d.Unmanaged:
		s = p.decideImport(s, d)
		if p.isNamed(d.Key) {
			return s.Refused(cause.Of(cause.RequestedImport))
		}
		p.stepsForOwnedImports(d, s.Have)
		return s
	}
	if first := p.ByOwner[view.Mark.Owner]; first != d {
		return s.Refused(cause.Of(cause.SameMark, first.Key))
	}
	ch := p.identify(d)
	p.surplusSteps(d, ch)
	switch {
	case !ch.refusal.IsZero() && d.Options.Suspend:
		return suspend(s, d, ch.refusal)
	case !ch.refusal.IsZero():
		return s.Refused(ch.refusal)
	case ch.have == nil:
		return p.refuseForeignUse(p.decideMissing(s, d), d)
	}
	return p.refuseForeignUse(p.decideOwned(s, d, ch.have), d)
}
