package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
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

// One refusal stands for all creations with the same demand: the same kind, and the same of those references that several objects have.
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
		if len(r.pass.Late) != c.late || r.drifted["Thing/a"] != c.known {
			t.Errorf("%s: %d late, known %t", name, len(r.pass.Late), r.drifted["Thing/a"])
		}
	}
}

// What follows a step that begins is no drift: its object, and all that refer to it.
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

// An object that this pass has made, and that is gone again, is left to the next pass.
func TestWhatVanishesAgain(t *testing.T) {
	lost := stepFor("a", plan.Create)
	lost.Lost = "id"
	update := lost
	update.Action = plan.Update
	made := func(r *run, times int) { r.ensureHistory("Thing/a").runs[plan.Create] = times }
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

// A failed object may be made again if this pass made it and nobody could use it. While a plan is held, a step may complete the healing of a member.
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
		h.runs[plan.Create], h.runs[plan.Recreate] = c.made, c.remade
		if again, heals := r.healable(c.step), r.heals(&c.step); again != c.again || heals != c.heals {
			t.Errorf("%s: again %t, heals %t", name, again, heals)
		}
	}
	if s := stepFor("a", plan.Create); newTestRun().heals(&s) || newTestRun().healable(unused) {
		t.Error("nothing was done, and it heals")
	}
}

// Steps record what they do where people approved of the plan. Healing is no part of that plan.
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

// A deletion counts from its start on, since a list may show it before the answer. Another success for the same object ends that.
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
		r.finish(outcome{id: "Thing/a", entries: []string{""}, result: Result{Step: s, Err: c.err}})
		if r.destroyed["Thing/a"] != c.destroyed || r.atWork("Thing/a") != c.atWork || !r.news || !r.fresh["Thing"].touched {
			t.Errorf("%s: destroyed %t, at work %t", name, r.destroyed["Thing/a"], r.atWork("Thing/a"))
		}
		if done := r.wrote; (done == 1) != (c.err == nil) {
			t.Errorf("%s: %d written", name, done)
		}
	}
	r := newTestRun()
	r.doing["Thing/a"] = Activity{}
	if !r.atWork("Thing/a") {
		t.Error("it is in flight")
	}
}

// A step is unforeseen if it destroys more than the first plan did. One that waits for others is no remainder.
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
		if got := wantsFresh(&c.step); got != c.fresh {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// An object that may be created by a request of before is not created before the end of that.
func TestWhatMayStillBeMade(t *testing.T) {
	until := time.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		action plan.Action
		former time.Duration
		waits  bool
	}{"a creation": {plan.Create, time.Minute, true}, "a change": {plan.Update, time.Minute, false}, "of a cloud that ends requests": {plan.Create, 0, false}} {
		r := newTestRun()
		r.timing.Former = c.former
		r.engine.past().NoteFormer(until)
		s := stepFor("a", c.action)
		if got := r.notShownUntil(&s); got.IsZero() == c.waits {
			t.Errorf("%s: until %s", name, got)
		}
		if got := r.notUntil(candidate{id: "Thing/a", step: &s}); got.IsZero() == c.waits {
			t.Errorf("%s: not before %s", name, got)
		}
		r.ensureHistory("Thing/a").notUntil = until.Add(time.Hour)
		if got := r.notUntil(candidate{id: "Thing/a", step: &s}); !got.Equal(until.Add(time.Hour)) {
			t.Errorf("%s, after a failure: not before %s", name, got)
		}
		r.histories = map[string]*history{}
		if r.fresh["Thing"].began = until; c.waits && !r.notUntil(candidate{id: "Thing/a", step: &s}).IsZero() {
			t.Errorf("%s: it waits although the list is new", name)
		}
	}
}

// Progress counts what was written and what is left. Activities come in the order in which they began.
func TestProgressOfAPass(t *testing.T) {
	r := newTestRun()
	r.wrote, r.round.writes, r.round.done = 7, 5, 2
	for i, name := range []string{"c", "a", "b"} {
		r.doing[name] = Activity{Step: stepFor(name, plan.Create), Since: time.Unix(int64(i), 0)}
	}
	p := r.progress()
	var order string
	for _, a := range p.Doing {
		order += a.Step.Key.Name
	}
	if p.Done != 7 || p.Total != 10 || order != "cab" {
		t.Errorf("%d of %d, %s", p.Done, p.Total, order)
	}
}

// An answer may show that the cloud works on an object. A list afterwards says how long that took.
func TestHowLongStepsTake(t *testing.T) {
	for name, c := range map[string]struct {
		action  plan.Action
		live    *kind.Live
		left    int
		working bool
	}{
		"changed":    {plan.Update, nil, 1, false},
		"being made": {plan.Create, &kind.Live{Phase: kind.Pending}, 1, true},
		"made":       {plan.Create, &kind.Live{Phase: kind.Ready}, 0, false},
	} {
		r := newTestRun()
		r.noteCarriedOut(outcome{live: c.live, result: Result{Step: stepFor("a", c.action)}}, 0)
		if r.pass.Results = []Result{{Step: stepFor("a", c.action)}}; len(r.unfinished) != c.left || c.left > 0 && r.unfinished[0].working != c.working {
			t.Errorf("%s: %+v", name, r.unfinished)
		}
	}
}

// A stack owns what bears its mark in its own project, in the collection that the mark names.
func TestWhoOwnsAnObject(t *testing.T) {
	e := &Engine{Stack: "s"}
	key := manifest.Key{Kind: "Thing", Name: "a"}
	for name, c := range map[string]struct {
		mark string
		own  bool
		kind string
		want bool
	}{
		"ours":                  {ownertext.Of("s", key), true, "Thing", true},
		"another stack's":       {ownertext.Of("other", key), true, "Thing", false},
		"in another project":    {ownertext.Of("s", key), false, "Thing", false},
		"in another collection": {ownertext.Of("s", key), true, "Other", false},
		"no owner text":         {"something", true, "Thing", false},
		"nobody's":              {"", true, "Thing", false},
	} {
		l := &kind.Live{InOwnProject: c.own}
		if c.mark != "" {
			l.Mark = &kind.Mark{Owner: c.mark}
		}
		if got := e.owns(c.kind, l); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if !e.owns("Thing", &kind.Live{InOwnProject: true, Mark: &kind.Mark{Owner: ownertext.Of("other", key), Rivals: ownertext.Of("s", key)}}) {
		t.Error("a second owner is none")
	}
}

// A place is listed again if the stack owns an object there, or an object that it shows was written through another entry.
func TestPlacesThatShowWhatWasWritten(t *testing.T) {
	e := &Engine{Stack: "s", Entries: []Entry{{Name: "b"}}}
	mark := &kind.Mark{Owner: ownertext.Of("s", manifest.Key{Kind: "Thing", Name: "a"})}
	view := func(entry string) kind.Live {
		return kind.Live{ID: "id", Through: entry, InOwnProject: true, Mark: mark}
	}
	both := view("")
	both.Also = []kind.Live{view(""), view("b")}
	strange := both
	strange.Mark = nil
	for name, c := range map[string]struct {
		item  kind.Live
		err   error
		wrote map[string]bool
		want  bool
	}{
		"owned there":                     {view("b"), nil, nil, true},
		"owned there, and may not list":   {view("b"), kind.ErrForbidden, nil, false},
		"owned elsewhere":                 {view(""), nil, nil, false},
		"shown there, and written":        {both, nil, map[string]bool{"": true}, true},
		"shown there, and not written":    {both, nil, map[string]bool{"c": true}, false},
		"not shown there, and written":    {view(""), nil, map[string]bool{"": true}, false},
		"somebody's, and perhaps written": {strange, nil, map[string]bool{"": true}, false},
	} {
		part := kind.Shown{Entry: "b", Err: c.err, Refused: c.err != nil}
		places := e.placesOf("Thing", kind.Collection{Items: []kind.Live{c.item}, Parts: []kind.Shown{part}}, nil, c.wrote)
		if got := len(places) == 1; got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A part that is not listed now keeps its list from before. An entry that failed shows nothing.
func TestListsOfSeveralEntries(t *testing.T) {
	main, other := newDoors()
	e := entered(main, other)
	item := func(id string) []kind.Live { return []kind.Live{{ID: id}} }
	before := []kind.Shown{{Entry: "", Items: item("main")}, {Entry: "other", Items: item("other")}}
	none := func(*kind.Live) (string, bool) { return "", false }
	c := e.joined("Thing", nil, before, none)
	if len(c.Parts) != 2 || len(c.Items) != 2 {
		t.Errorf("%d parts, %d objects", len(c.Parts), len(c.Items))
	}
	c = join([]kind.Shown{{Items: item("a")}, {Entry: "b", Items: item("b"), Err: errors.New("503")}}, none)
	if len(c.Items) != 1 || len(c.Parts) != 2 {
		t.Errorf("%d objects", len(c.Items))
	}
	if have := engineOf(thingtest.New()).Observe(t.Context(), nil)["Thing"]; have.Parts != nil || have.Err != nil {
		t.Errorf("one entry has parts: %v", have.Parts)
	}
	opened := 0
	open := e.Entries[0].Open
	e.Entries[0].Open = func(ctx context.Context) (Access, error) { opened++; return open(ctx) }
	e.logIn(t.Context())
	e.logIn(t.Context())
	if opened != 1 {
		t.Errorf("logged in %d times", opened)
	}
}

// A step for what no manifest names is tried through each entry that shows the object, until one is allowed to.
func TestStepsThroughOtherEntries(t *testing.T) {
	for name, c := range map[string]struct {
		main, other bool // whether they may not delete
		tried       int
		fails       bool
	}{"the first may": {false, false, 1, false}, "the second may": {true, false, 2, false}, "none may": {true, true, 2, true}} {
		main, other := newDoors()
		main.readOnly, other.readOnly = c.main, c.other
		e := entered(main, other)
		e.logIn(t.Context())
		x := main.Put(thingtest.Thing{Name: "a"})
		view := func(entry string) kind.Live {
			return kind.Live{ID: x.ID, Name: "a", Through: entry, State: &thingtest.Thing{ID: x.ID, Name: "a"}}
		}
		have := view("")
		have.Also = []kind.Live{view(""), view("other")}
		o := e.perform(t.Context(), plan.Step{Key: thingtest.Key("a"), Action: plan.Delete, Object: plan.Object{Have: &have}})
		if len(o.entries) != c.tried || errors.Is(o.result.Err, kind.ErrForbidden) != c.fails || o.gone == c.fails {
			t.Errorf("%s: %q, gone %t, %v", name, o.entries, o.gone, o.result.Err)
		}
	}
}

// An interrupted pass has no faults. Default times are filled in, and others stay.
func TestFaultsAndTimes(t *testing.T) {
	p := Pass{Failures: []Failure{{Key: thingtest.Key("a"), Fault: "x"}, {Key: thingtest.Key("b")}}}
	if faults := p.Faults(); len(faults) != 1 || faults[thingtest.Key("a")].Reason != "x" {
		t.Errorf("%v", faults)
	}
	if p.Interrupted = true; len(p.Faults()) > 0 {
		t.Errorf("interrupted: %v", p.Faults())
	}
	want := Timing{Poll: 500 * time.Millisecond, PollMax: 5 * time.Second, Pending: 15 * time.Minute, Busy: 2 * time.Minute, Backoff: time.Second, Late: 3 * time.Minute, Fresh: time.Minute, Grace: 30 * time.Second, Tries: 4}
	if got := (Timing{}).orDefaults(); got != want {
		t.Errorf("%+v", got)
	}
	want = Timing{Poll: 1, PollMax: 2, Pending: 3, Busy: 4, Backoff: 5, Late: 6, Former: 7, Fresh: 8, Grace: 9, Tries: 10}
	if got := want.orDefaults(); got != want {
		t.Errorf("%+v", got)
	}
}

// A survey lists each collection of the cloud, completely. An engine that makes plans excuses lists that are refused, too.
func TestSurveys(t *testing.T) {
	g := &guarded{World: thingtest.New()}
	e := privilegedEngine(t, g)
	e.Kinds = append(e.Kinds, thingtest.Flock())
	if have := e.Survey(t.Context()); len(have) != 1 || g.lists != 1 {
		t.Errorf("%d collections, %d lists", len(have), g.lists)
	}
	g.refusal = kind.ErrForbidden
	if p := e.Plan(t.Context(), "c", nil, nil); p.Outcome() != plan.InSync {
		t.Errorf("a plan without such a kind: %s", p.Outcome())
	}
}
