package engine

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

const thing = "Thing"

func waitFor(name string, phase kind.Phase) plan.Step {
	return plan.Step{Key: thingtest.Key(name), Action: plan.Wait, Object: plan.Object{Have: &kind.Live{ID: name, Phase: phase}}, Manner: plan.Manner{ManifestUnchanged: true}}
}

// waitingRun waits for the objects of steps. Their collection was listed a second ago.
func waitingRun(steps ...plan.Step) *run {
	r := newTestRun()
	r.round = newRound(plan.Plan{Steps: steps})
	now := time.Now()
	r.fresh[thing].at, r.fresh[thing].asked = now.Add(-time.Second), now
	r.trackPending(now)
	return r
}

// A driver may say that the cloud still works, in place of a list, only if the list has no other purpose.
func TestWhatAListWaitsFor(t *testing.T) {
	a, b := waitFor("a", kind.Pending), waitFor("b", kind.Pending)
	for name, c := range map[string]struct {
		steps    []plan.Step
		change   func(r *run)
		ids      []string
		together bool
	}{
		"nothing":                      {nil, func(*run) {}, nil, false},
		"two objects":                  {[]plan.Step{a, b}, func(*run) {}, []string{"a", "b"}, true},
		"a step is in flight":          {[]plan.Step{a}, func(r *run) { r.doing["Thing/c"] = Activity{} }, []string{"a"}, true},
		"one has to be changed next":   {[]plan.Step{{Key: a.Key, Action: a.Action, Object: plan.Object{Have: a.Have}}}, func(*run) {}, []string{"a"}, false},
		"one is half-made":             {[]plan.Step{{Key: a.Key, Action: a.Action, Object: plan.Object{Have: &kind.Live{ID: "a", Phase: kind.Pending, Mark: &kind.Mark{Applied: kind.Unfinished}}}, Manner: plan.Manner{ManifestUnchanged: true}}}, func(*run) {}, []string{"a"}, false},
		"a step waits for one of them": {[]plan.Step{a}, func(r *run) { r.noteNeeds(&plan.Step{Order: plan.Order{Awaits: []manifest.Key{thingtest.Key("a")}}}) }, []string{"a"}, false},
		"members take turns":           {[]plan.Step{a}, func(r *run) { r.noteNeeds(&plan.Step{Order: plan.Order{Turn: cause.Of(cause.NameAdoptable)}}) }, []string{"a"}, false},
		"others have to serve":         {[]plan.Step{a}, func(r *run) { r.round.settling["Other"] = time.Now() }, []string{"a"}, false},
		"one is being deleted":         {[]plan.Step{a, waitFor("b", kind.Deleting)}, func(*run) {}, nil, false},
		"a deletion was requested":     {[]plan.Step{a}, func(r *run) { r.fresh[thing].deletes = true }, nil, false},
		"an object was written":        {[]plan.Step{a}, func(r *run) { r.fresh[thing].stale[thingtest.Key("c")] = true }, nil, false},
		"a step needs a recent list":   {[]plan.Step{a}, func(r *run) { r.round.outdated[thing] = true }, nil, false},
		"the last list failed":         {[]plan.Step{a}, func(r *run) { r.snapshot[thing] = kind.Collection{Err: errors.New("no")} }, nil, false},
		"an object has to serve":       {[]plan.Step{a}, func(r *run) { r.round.settling[thing] = time.Now() }, nil, false},
		"the last list is too old":     {[]plan.Step{a}, func(r *run) { r.fresh[thing].at = time.Now().Add(-time.Hour) }, nil, false},
		"an object inside it":          {[]plan.Step{a}, func(r *run) { r.engine.kind(thing).Info.HostedOn = []string{thing} }, nil, false},
		"an object that takes too long": {[]plan.Step{a}, func(r *run) {
			r.pending = map[string]time.Time{a.Identity(): time.Now().Add(-time.Hour)}
			r.round.awaited, r.round.awaitedKinds = awaited{}, map[string]bool{}
			r.trackPending(time.Now())
		}, nil, false},
	} {
		r := waitingRun(c.steps...)
		c.change(r)
		got := r.waitingFor([]memory.Place{{Kind: thing}}, time.Now())[memory.Place{Kind: thing}]
		if !slices.Equal(got.IDs, c.ids) || got.Together != c.together {
			t.Errorf("%s: %+v", name, got)
		}
		if two := r.waitingFor([]memory.Place{{Kind: thing}, {Kind: thing, Entry: "other"}}, time.Now()); len(two) > 0 {
			t.Errorf("%s, through two entries: %v", name, two)
		}
	}
}

// If the cloud still works, the last list stays with its time, and the next plan notices an object that takes too long.
func TestAListThatIsOfNoUseYet(t *testing.T) {
	w := thingtest.New()
	w.Put(thingtest.Thing{Name: "a", Building: 3})
	r := newRun(engineOf(w), Revision{})
	r.snapshot = r.engine.Observe(t.Context(), nil)
	listed, id := time.Now().Add(-time.Second), r.snapshot[thing].Items[0].ID
	r.fresh[thing].at, r.fresh[thing].touched = listed, true
	r.round.awaitedKinds = map[string]bool{thing: true}
	s := waitFor(id, kind.Pending)
	r.round.awaited.add(&s)
	r.relist(t.Context(), []string{thing}, false)
	if f := r.fresh[thing]; !f.at.Equal(listed) || !f.asked.After(listed) || !f.touched || !r.listsUnplanned || r.snapshot[thing].Items[0].Phase != kind.Pending {
		t.Errorf("still pending: %+v, to be planned: %t", f, r.listsUnplanned)
	}
	r.relist(t.Context(), []string{thing}, false)
	if f := r.fresh[thing]; !f.at.After(listed) || f.touched || r.snapshot[thing].Items[0].Phase != kind.Ready {
		t.Errorf("ready: %+v, %s", f, r.snapshot[thing].Items[0].Phase)
	}
}

// While other steps run, a collection for which no step waits is listed less often.
func TestListsThatNoStepNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		step   plan.Step
		change func(r *run)
		want   time.Duration
	}{
		"nothing runs":                {plan.Step{}, func(r *run) { clear(r.doing) }, 500 * time.Millisecond},
		"another step runs":           {plan.Step{}, func(*run) {}, 15 * time.Second},
		"another step can start":      {plan.Step{}, func(r *run) { clear(r.doing); r.round.queue = []candidate{{}} }, 15 * time.Second},
		"a step waits for it":         {plan.Step{Order: plan.Order{Awaits: []manifest.Key{thingtest.Key("a")}}}, func(*run) {}, 500 * time.Millisecond},
		"a step waits for a group":    {plan.Step{Order: plan.Order{Awaits: []manifest.Key{{Kind: "Unknown", Name: "a"}}}}, func(*run) {}, 500 * time.Millisecond},
		"a deletion waits for it":     {plan.Step{Order: plan.Order{Blockers: []string{"Thing/a"}}}, func(*run) {}, 500 * time.Millisecond},
		"a deletion waits for more":   {plan.Step{Order: plan.Order{Blockers: []string{"Other/a"}}}, func(*run) {}, 15 * time.Second},
		"an object of it was written": {plan.Step{}, func(r *run) { r.fresh[thing].stale[thingtest.Key("a")] = true }, 500 * time.Millisecond},
	} {
		r := waitingRun(waitFor("a", kind.Pending))
		r.doing["Thing/b"] = Activity{}
		r.noteNeeds(&c.step)
		c.change(r)
		if got := r.listDue(thing).Sub(r.fresh[thing].asked); got != c.want {
			t.Errorf("%s: the next list follows after %s, want %s", name, got, c.want)
		}
	}
}

// The time that the cloud needs for new objects says nothing about deletions, whose lists begin fast again.
func TestListsOfDeletions(t *testing.T) {
	for name, c := range map[string]struct {
		action plan.Action
		gone   bool
		phase  kind.Phase
		want   time.Duration
	}{
		"a creation":                   {plan.Create, false, kind.Pending, 5 * time.Second},
		"a deletion":                   {plan.Delete, false, kind.Pending, 500 * time.Millisecond},
		"a deletion that has ended":    {plan.Delete, true, kind.Pending, 5 * time.Second},
		"a creation, beside deletions": {plan.Create, false, kind.Deleting, 500 * time.Millisecond},
	} {
		r := waitingRun(waitFor("a", c.phase))
		r.engine.past().NoteBuilt(thing, 50*time.Second)
		s := stepFor("b", c.action)
		s.Have = &kind.Live{ID: "b"}
		r.noteOutcome(outcome{id: s.Identity(), result: Result{Step: s}, gone: c.gone})
		if got := r.fresh[thing].listInterval; got != c.want {
			t.Errorf("%s: the next list follows after %s, want %s", name, got, c.want)
		}
		if r.storeList(thing, kind.Collection{}, time.Now(), time.Now()); r.fresh[thing].deletes {
			t.Errorf("%s: the deletion is awaited after a list", name)
		}
	}
}
