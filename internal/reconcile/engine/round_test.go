package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A step starts immediately, after a pause, after a list, or not in this round.
func TestWhenStepsStart(t *testing.T) {
	now := time.Now()
	create, remove := stepFor("a", plan.Create), stepFor("a", plan.Delete)
	judged := stepFor("a", plan.Update)
	judged.Judges = []string{"Judge"}
	for name, c := range map[string]struct {
		step   plan.Step
		change func(r *run)
		want   startTime
	}{
		"nothing is in its way":              {create, func(*run) {}, atOnce},
		"only members are healed":            {create, func(r *run) { r.rev.healing = true }, notInThisRound},
		"nothing is changed at this time":    {create, func(r *run) { r.round.plan.Suspended = "it is night" }, notInThisRound},
		"the window has closed":              {create, func(r *run) { r.round.plan.Closes = now }, notInThisRound},
		"the window is open":                 {create, func(r *run) { r.round.plan.Closes = now.Add(1) }, atOnce},
		"a deletion, and it has closed":      {remove, func(r *run) { r.round.plan.HarmCloses = now }, notInThisRound},
		"a deletion, and it is open":         {remove, func(r *run) { r.round.plan.HarmCloses = now.Add(1) }, atOnce},
		"a creation, and it has closed":      {create, func(r *run) { r.round.plan.HarmCloses = now }, atOnce},
		"a deletion that nobody foresaw":     {remove, func(r *run) { clear(r.permitted) }, notInThisRound},
		"its object was written":             {create, func(r *run) { r.fresh["Thing"].stale[thingtest.Key("a")] = true }, notInThisRound},
		"another object was written":         {create, func(r *run) { r.fresh["Thing"].stale[thingtest.Key("b")] = true }, atOnce},
		"it was given up":                    {create, func(r *run) { r.ensureHistory("Thing/a").final = true }, notInThisRound},
		"it is repeated":                     {create, func(r *run) { r.ensureHistory("Thing/a").runs = slices.Repeat([]plan.Action{plan.Create}, maxRuns) }, notInThisRound},
		"it was tried":                       {create, func(r *run) { r.ensureHistory("Thing/a") }, atOnce},
		"it waits for a pause":               {create, func(r *run) { r.ensureHistory("Thing/a").notUntil = now.Add(1) }, afterPause},
		"its pause is over":                  {create, func(r *run) { r.ensureHistory("Thing/a").notUntil = now }, atOnce},
		"a list is too old for a deletion":   {remove, func(r *run) { r.fresh["Thing"].at = now.Add(-r.timing.MaxListAge - 1) }, afterList},
		"a list is just new enough":          {remove, func(r *run) { r.fresh["Thing"].at = now.Add(-r.timing.MaxListAge) }, atOnce},
		"a list is old, and nothing is lost": {create, func(r *run) { r.fresh["Thing"].at = now.Add(-time.Hour) }, atOnce},
		"what judges it is older":            {judged, func(r *run) { r.fresh["Judge"] = &freshness{at: now.Add(-1)} }, afterList},
		"what judges it is as new":           {judged, func(r *run) { r.fresh["Judge"] = &freshness{at: now} }, atOnce},
	} {
		r := newTestRun()
		r.fresh["Thing"].at, r.fresh["Thing"].began = now, now
		r.permit(plan.Plan{Steps: []plan.Step{c.step}})
		c.change(r)
		if got := r.startOf(candidate{id: "Thing/a", step: &c.step}, now); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		if name == "what judges it is older" {
			if kinds := r.olderThanNeeded(&c.step); len(kinds) != 1 || kinds[0] != "Judge" {
				t.Errorf("to be listed: %q", kinds)
			}
		} else if kinds := r.olderThanNeeded(&c.step); len(kinds) != 1 || kinds[0] != "Thing" {
			t.Errorf("%s: to be listed: %q", name, kinds)
		}
	}
}

// The pass waits for objects that the cloud works on, for a limited time. It does not wait for objects that need to work for much
// longer.
func TestObjectsThatAreWaitedFor(t *testing.T) {
	now := time.Now()
	working := plan.Step{Key: thingtest.Key("a"), Action: plan.Wait, Object: plan.Object{Have: &kind.Live{ID: "id"}}}
	settles := func(until time.Time) plan.Step {
		s := working
		s.Action, s.Settles = plan.Keep, &plan.Settling{Until: until}
		return s
	}
	missing, kept := working, working
	missing.Have, kept.Action = nil, plan.Keep
	for name, c := range map[string]struct {
		step           plan.Step
		since          time.Duration // how long the pass has waited for it
		waiting, later int
		kinds          int
		stuck          bool
	}{
		"it is worked on":            {working, 0, 1, 0, 1, false},
		"for as long as may be":      {working, 15 * time.Minute, 1, 0, 1, false},
		"for longer":                 {working, 15*time.Minute + 1, 0, 0, 0, true},
		"it is not there":            {missing, 0, 0, 0, 0, false},
		"it is well":                 {kept, 0, 0, 0, 0, false},
		"it is well soon":            {settles(now.Add(time.Minute)), 0, 1, 1, 0, false},
		"it is well soon, for long":  {settles(now.Add(time.Minute)), time.Hour, 1, 1, 0, false},
		"it is well after all":       {settles(now.Add(maxSettleWait + 1)), 0, 0, 0, 0, false},
		"it was to be well by now":   {settles(now), time.Minute, 1, 0, 1, false},
		"it was to be well long ago": {settles(now), time.Hour, 0, 0, 0, true},
	} {
		r := newTestRun()
		r.round = newRound(plan.Plan{Steps: []plan.Step{c.step}})
		if c.since > 0 {
			r.pending = map[string]time.Time{c.step.Identity(): now.Add(-c.since)}
		}
		r.trackPending(now)
		if len(r.round.waiting) != c.waiting || len(r.round.settling) != c.later || len(r.round.awaitedKinds) != c.kinds || (r.stuck[c.step.Key] != nil) != c.stuck {
			t.Errorf("%s: waits for %d, later %v, lists %v, stuck: %v", name, len(r.round.waiting), r.round.settling, r.round.awaitedKinds, r.stuck)
		}
		if r.stuck[c.step.Key] = errors.New("stuck"); c.waiting > 0 {
			r.round.waiting, r.round.settling, r.round.awaitedKinds = nil, map[string]time.Time{}, map[string]bool{}
			if r.trackPending(now); len(r.round.waiting)+len(r.round.settling)+len(r.round.awaitedKinds) > 0 {
				t.Errorf("%s, and stuck: it is waited for", name)
			}
		}
	}
}

// A collection is listed once when its list is due, unless the pass was stopped.
func TestListsThatAreDue(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(r *run)
		stopped bool
		lists   int
	}{
		"nothing is due":           {func(*run) {}, false, 0},
		"the cloud is working":     {func(r *run) { r.round.awaitedKinds["Thing"] = true }, false, 1},
		"and it was stopped":       {func(r *run) { r.round.awaitedKinds["Thing"] = true }, true, 0},
		"it was listed just now":   {func(r *run) { r.round.awaitedKinds["Thing"], r.fresh["Thing"].asked = true, time.Now() }, false, 0},
		"it is well soon":          {func(r *run) { r.round.settling["Thing"] = time.Now().Add(time.Hour) }, false, 0},
		"it was to be well by now": {func(r *run) { r.round.settling["Thing"] = time.Now() }, false, 1},
		"both":                     {func(r *run) { r.round.settling["Thing"], r.round.awaitedKinds["Thing"] = time.Now(), true }, false, 1},
		"well now, and listed":     {func(r *run) { r.round.settling["Thing"], r.fresh["Thing"].asked = time.Now(), time.Now() }, false, 1},
	} {
		g := &guarded{World: thingtest.New()}
		r := newRun(privilegedEngine(t, g), Revision{})
		r.snapshot = kind.Snapshot{"Thing": {}}
		r.round = round{awaitedKinds: map[string]bool{}, settling: map[string]time.Time{}, outdated: map[string]bool{}}
		c.change(r)
		ctx, stop := context.WithCancel(t.Context())
		if c.stopped {
			stop()
		}
		if r.refresh(ctx); g.lists != c.lists {
			t.Errorf("%s: %d lists", name, g.lists)
		}
		stop()
	}
}

// The pass wakes up for the next list, or for the next step after its pause. While no more steps can be started, it wakes up only
// for lists.
func TestWhatWakesAPass(t *testing.T) {
	soon, late := time.Now().Add(time.Minute), time.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		change func(r *run)
		want   time.Time
	}{
		"nothing":                   {func(*run) {}, time.Time{}},
		"a step":                    {func(r *run) { r.round.queue = []candidate{{until: late}, {until: soon}, {}} }, soon},
		"a step, and there is none": {func(r *run) { r.round.queue = []candidate{{}} }, time.Time{}},
		"a list":                    {func(r *run) { r.round.settling["Thing"] = soon }, soon},
		"the earlier of both":       {func(r *run) { r.round.settling["Thing"] = late; r.round.queue = []candidate{{until: soon}} }, soon},
		"there is no room for steps": {func(r *run) {
			r.round.settling["Thing"], r.round.queue, r.engine.Parallelism = late, []candidate{{until: soon}}, 1
			r.doing["x"] = Activity{}
		}, late},
		"there is room for another": {func(r *run) {
			r.round.settling["Thing"], r.round.queue, r.engine.Parallelism = late, []candidate{{until: soon}}, 2
			r.doing["x"] = Activity{}
		}, soon},
	} {
		r := newTestRun()
		r.round = round{awaitedKinds: map[string]bool{}, settling: map[string]time.Time{}, outdated: map[string]bool{}}
		c.change(r)
		if at, more := r.nextWake(); !at.Equal(c.want) || more == c.want.IsZero() {
			t.Errorf("%s: %s, %t", name, at, more)
		}
	}
}

// For some time, the memory keeps the places (kinds in an entry) without objects of the stack, and those whose lists the cloud refuses.
func TestPlacesThatAreRemembered(t *testing.T) {
	now := time.Now()
	at := memory.Place{Kind: "Thing"}
	for name, c := range map[string]struct {
		found *memory.Finding
		after time.Duration
		idle  bool
	}{
		"nothing is known":       {nil, 0, false},
		"nothing was there":      {&memory.Finding{At: now}, relistInterval - 1, true},
		"nothing was there then": {&memory.Finding{At: now}, relistInterval, false},
		"something was there":    {&memory.Finding{At: now, Owns: true}, 0, false},
	} {
		e := &Engine{Stack: "s"}
		if c.found != nil {
			e.past().NoteFound(at, *c.found)
		}
		if got := e.idle(kind.Info{Kind: at.Kind}, at, nil, now.Add(c.after)); got != c.idle {
			t.Errorf("%s: %t", name, got)
		}
		if managed := e.managing(nil)[at]; managed != (c.found != nil && c.found.Owns) {
			t.Errorf("%s: managed %t", name, managed)
		}
	}
	e := entered(newDoors())
	refused, asked := memory.Place{Kind: "Thing", Entry: "b"}, memory.Place{Kind: "Thing", Entry: "c"}
	e.past().NoteFound(at, memory.Finding{At: now})
	e.past().NoteFound(refused, memory.Finding{At: now, Refused: kind.ErrForbidden})
	e.past().NoteFound(asked, memory.Finding{At: now, Refused: kind.ErrForbidden})
	shown := map[memory.Place]kind.Shown{asked: {Entry: "c"}}
	if e.addRefused(shown); len(shown) != 2 || !shown[refused].Refused || shown[asked].Refused {
		t.Errorf("%+v", shown)
	}
}

// If healing a member ends its drift while the plan is held, the pass reports that drift. The held plan does not show it.
func TestDriftThatHealingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := healthy(t, 4)
		h.around = "\n---\n" + thingtest.Manifest("dog")
		h.sync(t, 4, "round")
		h.around, h.engine.Limits = "", nothing
		h.called("sheep-1").Down = "stopped"
		for range 6 {
			pass := h.checks(t, 4, 1, "round")
			if pass.First.Held == nil || h.called("dog") == nil {
				t.Fatalf("nothing is held: %s", failed(pass))
			}
			if drifted := 1; len(pass.Results) > 0 && (pass.Drifted() != drifted || len(pass.LateDrift) != drifted) {
				t.Errorf("%d drifted, %d of them late", pass.Drifted(), len(pass.LateDrift))
			}
		}
		if h.called("sheep-1").Restarts != 1 {
			t.Error("it was not healed")
		}
	})
}

// tally is a watcher that counts the calls of Started and Finished.
type tally struct {
	reader
	started, finished int
}

func (c *tally) Started(plan.Step) { c.started++ }
func (c *tally) Finished(Result)   { c.finished++ }

// The watcher is called for the start and for the end of each step.
func TestStepsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := thingtest.New()
		e, c := engineOf(w), &tally{}
		e.Watcher = c
		if pass := e.Sync(t.Context(), Revision{Want: wanted(t, &door{World: w}, "a", "b", "c")}); len(pass.Results) != 3 || c.started != 3 || c.finished != 3 {
			t.Errorf("%d steps, %d started, %d finished", len(pass.Results), c.started, c.finished)
		}
	})
}
