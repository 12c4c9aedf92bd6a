package engine

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

func stepFor(name string, action plan.Action) plan.Step {
	return plan.Step{Key: thingtest.Key(name), Action: action, Object: plan.Object{Want: &kind.Desired{Key: thingtest.Key(name)}}}
}

func newTestRun() *run {
	r := newRun(engineOf(thingtest.New()), Revision{})
	r.snapshot = kind.Snapshot{"Thing": {}}
	return r
}

// One refusal applies to all creations with the same demand: they have the same kind, and the same references among those that several
// objects have.
func TestDemandsThatAreRefused(t *testing.T) {
	want := func(refs ...string) *kind.Desired {
		d := &kind.Desired{Key: thingtest.Key("x")}
		for _, name := range refs {
			d.Refs = append(d.Refs, kind.RefSpec{Field: "spec." + name[:1], Key: thingtest.Key(name)})
		}
		return d
	}
	create := func(refs ...string) plan.Step {
		s := stepFor("x", plan.Create)
		s.Want = want(refs...)
		return s
	}
	begin := func() *run {
		r := newTestRun()
		r.rev.Want = []kind.Desired{*want("a", "b", "own"), *want("a", "b"), *want("other"), *want("other")}
		return r
	}
	r := begin()
	r.noteRefusedDemand(create("a", "b", "own"), kind.ErrExhausted)
	for name, c := range map[string]struct {
		step    plan.Step
		refused bool
	}{
		"the same":                {create("a", "b"), true},
		"in another order":        {create("b", "a"), true},
		"and one of its own":      {create("a", "b", "mine"), true},
		"less":                    {create("a"), false},
		"nothing":                 {create(), false},
		"another":                 {create("other"), false},
		"something to be changed": {plan.Step{Key: thingtest.Key("x"), Action: plan.Update, Object: plan.Object{Want: want("a", "b")}}, false},
	} {
		if got := r.refusedDemand(&c.step) != nil; got != c.refused {
			t.Errorf("%s: %t", name, got)
		}
	}
	update := create("a", "b")
	update.Action = plan.Update
	for name, note := range map[string]func(r *run){
		"of a change":        func(r *run) { r.noteRefusedDemand(update, kind.ErrExhausted) },
		"for something else": func(r *run) { r.noteRefusedDemand(create("a", "b"), kind.ErrRejected) },
	} {
		r := begin()
		note(r)
		if s := create("a", "b"); r.refusedDemand(&s) != nil {
			t.Errorf("a refusal %s counts", name)
		}
	}
}

// Drift that a later round finds counts, unless the pass itself may have caused it. Each difference counts once.
func TestDriftOfLaterRounds(t *testing.T) {
	drifts := func(s plan.Step) plan.Step { s.Drift = true; return s }
	lost := drifts(stepFor("a", plan.Create))
	lost.Lost = "id"
	for name, c := range map[string]struct {
		round  int
		step   plan.Step
		change func(r *run)
		late   int
		known  bool
	}{
		"in the first round":         {1, drifts(stepFor("a", plan.Update)), func(*run) {}, 0, true},
		"in a later round":           {2, drifts(stepFor("a", plan.Update)), func(*run) {}, 1, true},
		"no drift":                   {2, stepFor("a", plan.Update), func(*run) {}, 0, false},
		"known":                      {2, drifts(stepFor("a", plan.Update)), func(r *run) { r.drifted["Thing/a"] = true }, 0, true},
		"the pass has written it":    {2, drifts(stepFor("a", plan.Update)), func(r *run) { r.ensureHistory("Thing/a") }, 0, false},
		"the pass is writing it":     {2, drifts(stepFor("a", plan.Update)), func(r *run) { r.doing["Thing/a"] = Activity{} }, 0, false},
		"written in the first round": {1, drifts(stepFor("a", plan.Update)), func(r *run) { r.ensureHistory("Thing/a") }, 0, true},
		"it is gone":                 {2, lost, func(r *run) { r.ensureHistory("Thing/a") }, 1, true},
	} {
		r := newTestRun()
		r.pass.Rounds = c.round
		c.change(r)
		r.noteDrift(plan.Plan{Steps: []plan.Step{c.step}})
		if len(r.pass.LateDrift) != c.late || r.drifted["Thing/a"] != c.known {
			t.Errorf("%s: %d late, known %t", name, len(r.pass.LateDrift), r.drifted["Thing/a"])
		}
	}
}

// After a step has begun, differences of its object, and of the objects that refer to it, are no drift.
func TestWhatFollowsAStep(t *testing.T) {
	ref := func(name, to string, virtual bool) kind.Desired {
		return kind.Desired{Key: thingtest.Key(name), Virtual: virtual, Refs: []kind.RefSpec{{Key: thingtest.Key(to)}}}
	}
	surplus := stepFor("a", plan.Recreate)
	surplus.Surplus = true
	for name, c := range map[string]struct {
		step  plan.Step
		drift string
		want  []string
	}{
		"a replacement":   {stepFor("a", plan.Recreate), "", []string{"a", "b", "c"}},
		"a copy of it":    {surplus, "", nil},
		"one that drifts": {stepFor("a", plan.Recreate), "Thing/b", []string{"a", "c"}},
	} {
		r := newTestRun()
		r.rev.Want = []kind.Desired{{Key: thingtest.Key("a")}, ref("b", "a", false), ref("c", "b", false), ref("virtual", "a", true), ref("other", "x", false), ref("a", "c", false)}
		if c.drift != "" {
			r.drifted[c.drift] = true
		}
		r.noteBegun(c.step)
		var got []string
		for key := range r.engine.past().Past().Begun {
			got = append(got, key.Name)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// An object that this pass has created, and that is gone again, is created by the next pass.
func TestWhatVanishesAgain(t *testing.T) {
	lost := stepFor("a", plan.Create)
	lost.Lost = "id"
	update := lost
	update.Action = plan.Update
	made := func(r *run, times int) {
		r.ensureHistory("Thing/a").runs = slices.Repeat([]plan.Action{plan.Create}, times)
	}
	for name, c := range map[string]struct {
		step   plan.Step
		change func(r *run)
		again  bool
	}{
		"it was made":               {lost, func(r *run) { made(r, 1) }, true},
		"it was not made":           {lost, func(r *run) { made(r, 0) }, false},
		"nothing was done":          {lost, func(*run) {}, false},
		"nothing is known to exist": {stepFor("a", plan.Create), func(r *run) { made(r, 1) }, false},
		"it is there":               {update, func(r *run) { made(r, 1) }, false},
	} {
		r := newTestRun()
		c.change(r)
		if got := r.vanishedAgain(c.step); got != c.again {
			t.Errorf("%s: %t", name, got)
		}
	}
	r := newTestRun()
	r.fresh["Thing"].began = time.Unix(7, 0)
	if at := r.listed("Thing"); !at.Equal(time.Unix(7, 0)) {
		t.Errorf("listed at %s", at)
	}
	r.snapshot["Thing"] = kind.Collection{Err: errors.New("503")}
	if at := r.listed("Thing"); !at.IsZero() {
		t.Errorf("a list that failed is one of %s", at)
	}
}

// A failed object may be recreated if this pass created it and nobody could use it. While a plan is held, a step may complete the healing
// of a member.
func TestWhatMayBeMadeAgain(t *testing.T) {
	unused := stepFor("a", plan.Recreate)
	unused.Unused = true
	healing := stepFor("a", plan.Update)
	healing.Part, healing.Healing = &plan.Part{}, true
	for name, c := range map[string]struct {
		step         plan.Step
		made, remade int
		again, heals bool
	}{
		"made by this pass":               {unused, 1, 0, true, false},
		"not made by this pass":           {unused, 0, 0, false, false},
		"used":                            {stepFor("a", plan.Recreate), 1, 0, false, false},
		"it heals":                        {healing, 0, 0, false, true},
		"it is made after it was deleted": {stepFor("a", plan.Create), 0, 1, false, true},
		"it is made":                      {stepFor("a", plan.Create), 1, 0, false, false},
		"it is changed after that":        {stepFor("a", plan.Update), 0, 1, false, false},
	} {
		r := newTestRun()
		h := r.ensureHistory("Thing/a")
		h.runs = append(slices.Repeat([]plan.Action{plan.Create}, c.made), slices.Repeat([]plan.Action{plan.Recreate}, c.remade)...)
		if again, heals := r.healable(c.step), r.heals(&c.step); again != c.again || heals != c.heals {
			t.Errorf("%s: again %t, heals %t", name, again, heals)
		}
	}
	if s := stepFor("a", plan.Create); newTestRun().heals(&s) || newTestRun().healable(unused) {
		t.Error("nothing was done, and it heals")
	}
}

// Steps record the approval on new machines if people approved the plan. Healing steps do not, because they are no part of the approved
// plan.
func TestWhatIsRecorded(t *testing.T) {
	for name, c := range map[string]struct {
		approved *plan.Approval
		healing  bool
		want     bool
	}{"approved": {&plan.Approval{}, false, true}, "healing": {&plan.Approval{}, true, false}, "not held": {nil, false, false}, "healing, and not held": {nil, true, false}} {
		r := newTestRun()
		r.rev.healing = c.healing
		if r.permit(plan.Plan{Restraint: plan.Restraint{Approved: c.approved}}); r.recording != c.want {
			t.Errorf("%s: %t", name, r.recording)
		}
	}
}

// An object counts as deleted by the pass as soon as its deletion starts, since a list may show the result before the answer. When the
// pass creates the object again, it no longer counts.
func TestWhatIsBeingDestroyed(t *testing.T) {
	for name, c := range map[string]struct {
		action    plan.Action
		err       error
		destroyed bool
		atWork    bool
	}{
		"deleted":         {plan.Delete, nil, true, true},
		"deleted in vain": {plan.Delete, errors.New("500"), true, true},
		"made":            {plan.Create, nil, false, false},
		"made in vain":    {plan.Create, errors.New("500"), true, true},
	} {
		r := newTestRun()
		r.destroyed["Thing/a"], r.doing["Thing/a"] = true, Activity{}
		if !r.atWork("Thing/a") || r.atWork("Thing/b") {
			t.Error("it is not at work")
		}
		s := stepFor("a", c.action)
		r.noteOutcome(outcome{id: "Thing/a", entries: []string{""}, result: Result{Step: s, Err: c.err}})
		if r.destroyed["Thing/a"] != c.destroyed || r.atWork("Thing/a") != c.atWork || !r.answersUnplanned || !r.fresh["Thing"].touched {
			t.Errorf("%s: destroyed %t, at work %t", name, r.destroyed["Thing/a"], r.atWork("Thing/a"))
		}
		if done := r.writeCount; (done == 1) != (c.err == nil) {
			t.Errorf("%s: %d written", name, done)
		}
	}
	r := newTestRun()
	r.doing["Thing/a"] = Activity{}
	if !r.atWork("Thing/a") {
		t.Error("it is in flight")
	}
}

// A step is unforeseen if it destroys more than the first plan did. An unforeseen step that still waits for other objects does not count.
func TestWhatIsLeftUndone(t *testing.T) {
	destroys := stepFor("a", plan.Recreate)
	for name, c := range map[string]struct {
		change func(s *plan.Step)
		left   bool
	}{
		"it could start": {func(*plan.Step) {}, true},
		"it waits":       {func(s *plan.Step) { s.Awaits = []manifest.Key{s.Key} }, false},
		"it is used":     {func(s *plan.Step) { s.Blockers = []string{"x"} }, false},
		"it is left":     {func(s *plan.Step) { s.Action = plan.Refuse }, false},
		"it is made":     {func(s *plan.Step) { s.Action = plan.Create }, false},
	} {
		r, s := newTestRun(), destroys
		c.change(&s)
		r.round.plan.Steps = []plan.Step{s}
		if got := r.leavesUnforeseen(); got != c.left {
			t.Errorf("%s: %t", name, got)
		}
		if r.permit(r.round.plan); r.leavesUnforeseen() {
			t.Errorf("%s, and foreseen: it is left", name)
		}
	}
}

// A step whose effect on somebody else's object could not be undone needs a recent list.
func TestWhatNeedsARecentList(t *testing.T) {
	adopts, wipes, spare := stepFor("a", plan.Update), stepFor("a", plan.Update), stepFor("a", plan.Delete)
	adopts.Adopts, spare.Spare = true, true
	wipes.Changes = []kind.Change{{Disruption: kind.Rebuild}}
	for name, c := range map[string]struct {
		step  plan.Step
		fresh bool
	}{
		"made": {stepFor("a", plan.Create), false}, "changed": {stepFor("a", plan.Update), false}, "adopted": {adopts, true}, "wiped": {wipes, true},
		"deleted": {stepFor("a", plan.Delete), true}, "replaced": {stepFor("a", plan.Recreate), true}, "let go": {stepFor("a", plan.Detach), true}, "a spare": {spare, true},
	} {
		if got := needsRecentList(&c.step); got != c.fresh {
			t.Errorf("%s: %t", name, got)
		}
	}
}
