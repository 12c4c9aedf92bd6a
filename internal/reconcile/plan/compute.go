package plan

import (
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Compute compares what a stack wants with what the cloud holds. It is pure and
// total: any input gives a plan, the same input the same plan.
//
//	wanted  owned in the cloud   otherwise                        step
//	------  -------------------  -------------------------------  -------
//	any     unknown              the list failed                  wait
//	import  -                    one object matches               keep
//	import  -                    none, or several                 wait, refuse
//	yes     several              which is meant cannot be decided refuse
//	yes     shared or copied     nobody owns it                   refuse
//	yes     no                   name taken by somebody           refuse
//	yes     no                   something it depends on is missing wait
//	yes     no                   perhaps through an unknown entry wait
//	yes     no                   all it depends on is ready         create
//	yes     yes                  equal                            keep
//	yes     yes                  differs in changeable fields     update
//	yes     yes                  differs in a fixed field         replace
//	yes     yes                  made just now, and failed        replace
//	yes     yes                  failed for good                  replace, refuse
//	yes     yes                  the cloud is working on it       wait
//	no      yes                  a part of what is suspended      keep
//	no      yes                  marked to be kept                keep
//	no      yes                  marked to be detached            detach
//	no      several, shared      which is meant cannot be decided refuse
//	no      copied               nobody owns it                   refuse
//	no      yes                  still used by another            wait
//	no      yes                  unused                           delete
//	any     yes                  has to go, and what stays uses it refuse
func Compute(in Input) Plan {
	p, _ := decided(in)
	return p.finish()
}

// decided is the planner that learns nothing new from what it has decided, and which one it was. (decision 0054)
func decided(in Input) (p *planner, times int) {
	in = in.fallenBack()
	known, all, want, cloud := newVerdicts(), sparesOf(in), in.Want, bind.In(in.Have, in.Stack)
	if all != nil {
		in.Want = all.with(want, known)
		p := worldOf(in, cloud, all).planner(known)
		known.spares, known.sizes = p.sparesThere(), p.sizesNow()
	}
	for news := true; news; times++ {
		in.Want = all.with(want, known)
		p = worldOf(in, cloud, all).planner(known)
		p.decideAll()
		known, news = p.learn()
	}
	return p, times
}

// learn is what is known once everything is decided, and reports whether anything of it was not known when it was.
func (p *planner) learn() (next verdicts, news bool) {
	next = p.verdicts.clone()
	if p.learnLocks(next) { // first: a group needs no spare for a member that cannot be replaced
		return next, true
	}
	p.groups = groupsOf(p)
	return next, p.groups.learn(next)
}

// verdicts are what can be known only once everything is decided, and changes what is
// decided then.
type verdicts struct {
	spares        map[manifest.Key]int          // how many spares a group has
	sizes         map[manifest.Key]size         // how many members a group has that can have more or fewer
	settledSpares map[manifest.Key]bool         // the groups of which that is decided
	locked        map[*kind.Live]cause.Cause    // why what has to go cannot
	holding       map[*kind.Live]cause.Cause    // what has to go and cannot, for what would be detached and uses it
	spared        map[*kind.Live]cause.Cause    // why what has to go is kept for what uses it
	traffic       map[manifest.Key]kind.Traffic // what may be sent to a member of a group
	drains        map[manifest.Key]bool         // what sends less than its manifest says, to members that are interrupted
	left          map[manifest.Key]leaving      // the members of groups that stay as they are
	standing      map[*kind.Live]bool           // what former members consist of that stand in for others
	healing       healing
}

func (p *planner) decideAll() {
	workloads := 0
	for i := range p.Want {
		if p.Want[i].Virtual {
			workloads++
		}
	}
	p.steps, p.workloads = make([]Step, 0, len(p.Want)-workloads), make([]Workload, 0, workloads)
	p.foresee()
	for i := range p.Want {
		d := &p.Want[i]
		if d.Virtual {
			p.workloads = append(p.workloads, Workload{Key: d.Key, Parent: d.Parent, Origin: d.Origin, Notes: p.withSize(d), Data: d.Data != nil, want: d})
			continue
		}
		p.steps = append(p.steps, p.decide(d))
	}
	p.awaitMoves()
	p.orphans()
	p.steps = append(p.steps, p.strays()...)
	p.placeOrphans()
}

func newVerdicts() verdicts {
	return verdicts{
		settledSpares: map[manifest.Key]bool{},
		locked:        map[*kind.Live]cause.Cause{}, holding: map[*kind.Live]cause.Cause{}, spared: map[*kind.Live]cause.Cause{},
		left: map[manifest.Key]leaving{}, standing: map[*kind.Live]bool{}, traffic: map[manifest.Key]kind.Traffic{}, drains: map[manifest.Key]bool{},
		healing: healing{cures: map[manifest.Key]cure{}, treated: map[manifest.Key]string{}},
	}
}

func (v verdicts) clone() verdicts {
	return verdicts{
		spares: maps.Clone(v.spares), sizes: v.sizes, settledSpares: maps.Clone(v.settledSpares),
		locked: maps.Clone(v.locked), holding: maps.Clone(v.holding), spared: maps.Clone(v.spared),
		traffic: maps.Clone(v.traffic), drains: maps.Clone(v.drains), left: maps.Clone(v.left), standing: maps.Clone(v.standing),
		healing: healing{cures: maps.Clone(v.healing.cures), treated: maps.Clone(v.healing.treated)},
	}
}

// finish gives every step what it takes to know all the others.
func (p *planner) finish() Plan {
	p.renamings()
	blocked := p.block()
	p.groups.inTurn()
	p.tellForecasts(p.groups)
	p.awaitObstacles(p.untie(blocked))
	p.losses()
	p.bind()
	p.carryOn()
	p.nameIDs()
	p.groups.linger()
	p.weighLosses()
	p.awaitUsers()
	p.groups.tellSick()
	p.groups.tellHeld()
	p.tellLocked()
	p.tellCrowded()
	closed := p.closed()
	var back []Fallback
	for _, w := range p.workloads {
		if f, ok := p.Fallbacks[w.Key]; ok {
			back = append(back, f)
		}
	}
	return Plan{At: p.Now, seen: p.groups.seen, failing: p.groups.failing, fallbacks: back, Stack: p.Stack, Commit: p.Commit, Steps: p.steps, Workloads: p.workloads, Owned: p.owned, OwnedKinds: p.ownedKinds,
		Unlisted: append(p.unlisted(), closed...), Closed: len(closed)}
}

// Input is everything a plan is made from.
type Input struct {
	Stack  string
	Commit string
	Kinds  []*kind.Kind
	// Want comes from [Resolve]: nothing stands before what it refers to, unless
	// the reference is late.
	Want []kind.Desired
	Have kind.Snapshot
	// Replace is whether objects may be deleted and recreated to apply a change
	// when their annotations do not say.
	Replace bool
	// Others is whether what other stacks have marked may be used as if it were nobody's.
	Others bool
	// Synced is true when this very commit was in sync before: then every
	// difference is drift.
	Synced bool
	// Before is what the commit before wanted, by sums of the manifests, where nothing remembers more: what it wanted just as it is
	// wanted now, and is not there, was deleted by somebody. Of a stack that owns nothing yet that says nothing.
	Before map[manifest.Key]kind.Sum
	Past
	// Healing is true where nothing else is carried out of the plan: what is to be changed, and is not, can be healed.
	Healing bool
	// Approving is true where people have approved of a plan: machines that are made bear what their group is to become then.
	Approving bool
	// Now is the time; the zero time where nothing depends on it.
	Now time.Time
	// Printer makes the fingerprints of secrets; nil for unkeyed ones, salted with
	// the name of the stack.
	Printer *fingerprint.Printer

	dropped map[manifest.Key]bool // what those groups would have and do not have
}

// decide makes the step for one desired object. Objects come in an order in
// which everything it refers to was decided before.
func (p *planner) decide(d *kind.Desired) Step {
	if d.Absent() {
		return p.decideAbsent(d)
	}
	view := p.view(d, d.Spec)
	s := Step{Key: d.Key, Origin: d.Origin, Parent: d.Parent, Notes: d.Notes, want: d, view: &view}
	c, known := p.Have[d.Key.Kind]
	switch {
	case !known:
		return s.withAction(Wait, cause.Of(cause.NotLooked))
	case c.Blind(d.Entry) != nil:
		s.Error = true
		return s.withAction(Wait, cause.Of(cause.Unlisted, through(d.Entry)+c.Blind(d.Entry).Error()))
	case d.Unmanaged:
		s = p.decideImport(s, d)
		p.stillOwned(d, s.have)
		return s
	}
	if first := p.taken[view.Mark.Owner]; first != d.Key {
		s.Error = true
		return s.withAction(Refuse, cause.Of(cause.SameMark, first))
	}
	ch := p.settle(d)
	p.besides(d, ch)
	switch {
	case !ch.refusal.IsZero() && d.Options.Suspend:
		return s.withAction(Keep, cause.Of(cause.Suspended), ch.refusal)
	case !ch.refusal.IsZero():
		s.Error = true
		return s.withAction(Refuse, ch.refusal)
	case ch.have == nil:
		return p.apart(p.decideMissing(s, d), d)
	}
	return p.apart(p.decideOwned(s, d, ch.have), d)
}

func (s Step) withAction(action Action, causes ...cause.Cause) Step {
	s.Action, s.Causes, s.Turn = action, cause.List(nil).And(causes...), cause.Cause{}
	return s
}

func (p *planner) decideMissing(s Step, d *kind.Desired) Step {
	if d.Options.Suspend {
		return s.withAction(Keep, cause.Of(cause.Suspended), cause.Of(cause.NotThere))
	}
	if why := p.leftOut(d); !why.IsZero() {
		return p.leaveOut(s, d, why)
	}
	if d.Import != nil {
		return p.decideUnadopted(s, d)
	}
	why := p.impossible(d, s.have, s.View())
	if taken := p.nameTaken(d, nil); taken != nil {
		s.Error = true
		return s.withAction(Refuse, p.takenText(taken))
	}
	if !why.IsZero() {
		s.Error = true
		return s.withAction(Refuse, cause.Of(cause.CannotCreate, why))
	}
	if why := p.perhapsElsewhere(d); !why.IsZero() {
		s.Error = true
		return s.withAction(Wait, why)
	}
	s.lost = p.Lost[s.Identity()]
	s.Action, s.Drift = Create, p.Synced && !d.Scaled && !p.Begun[d.Key] || s.lost != "" || p.wasWanted(d) // a requested scale-up is not drift
	s.Causes = cause.List(nil).And(p.withoutLate(d))
	p.doomed[d.Key] = !p.kinds[d.Key.Kind].Info.IDIsName
	return p.await(s, d)
}

// wasWanted reports whether a missing object was there before, as far as the commit before shows it.
func (w *world) wasWanted(d *kind.Desired) bool {
	sum, known := w.Before[d.Key]
	return known && sum == d.Sum && w.owned > 0 && !d.Scaled && !w.Begun[d.Key]
}

func (w *world) takenText(by *kind.Live) cause.Cause {
	if !by.InOwnProject || by.Mark != nil {
		return cause.Of(cause.NameTaken, printable.Name(by.Name), by.ID, w.Stack)
	}
	return cause.Of(cause.NameAdoptable, printable.Name(by.Name), by.ID, w.Stack, by.ID)
}

// nameTaken finds somebody else's object, which is not the one that d is now, under the name that d would bear:
// one that no stack owns, or any at all where names are unique. What is on its way out may
// have lost its mark before the rest of it, and only keeps a name that is unique.
func (p *planner) nameTaken(d *kind.Desired, have *kind.Live) *kind.Live {
	k := p.kinds[d.Key.Kind]
	for _, item := range p.cloud.Of(d.Key.Kind).Named(k.Name(p.view(d, d.Spec))) {
		if item != have && item.Name != "" && item.As(d.Entry) != nil && (k.Info.UniqueNames || p.inProject(d, item) && item.Phase != kind.Deleting && (item.Mark == nil || item.Mark.Rivals != "" || item.Copied != "")) {
			return item
		}
	}
	return nil
}

// await names what must be ready before the step can run. It does not change
// the decision: people see what will be done, the engine when.
func (p *planner) await(s Step, d *kind.Desired) Step {
	for _, ref := range d.Refs {
		target := p.byKey[ref.Key]
		if target == nil || target.Virtual || slices.Contains(s.Awaits, ref.Key) || ref.Late && s.Action != Update {
			continue
		}
		if !p.ready[ref.Key] || p.doomed[ref.Key] && s.Action == Create {
			s.Awaits = append(s.Awaits, ref.Key)
		}
	}
	return s
}
