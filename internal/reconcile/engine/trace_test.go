package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// witness is a world whose cloud reports who changed an object. It counts how often it was asked.
type witness struct {
	*thingtest.World
	err   error
	mu    sync.Mutex
	asked int
}

func (w *witness) Trace(_ context.Context, have typed.Live[thingtest.Thing], changes []kind.Change) (kind.Trace, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	what := "deleted"
	if have.State != nil {
		what = changes[0].Field
	}
	return kind.Trace{Who: have.ID, What: what}, true, w.err
}

func (w *witness) kinds() []*kind.Kind {
	k := thingtest.Typed(w.Kind().Info, w)
	k.Trace = w.Trace
	return []*kind.Kind{k.Resource()}
}

// traces runs a pass and returns who made the changes that it found, and how often the cloud was
// asked.
func (w *witness) traces(t *testing.T, e *Engine, want []kind.Desired) (found []kind.Trace, asked int) {
	t.Helper()
	before := w.asked
	var pass Pass
	synctest.Test(t, func(*testing.T) {
		pass = e.Sync(context.Background(), Revision{Commit: "c", Want: want, Synced: true})
	})
	for _, s := range slices.Concat(pass.First.Drifting(), pass.LateDrift) {
		if s.Trace != nil && *s.Trace != (kind.Trace{}) {
			found = append(found, *s.Trace)
		}
	}
	return found, w.asked - before
}

// put fills the cloud with n red things that equal their manifests.
func (w *witness) put(t *testing.T, n int) []kind.Desired {
	t.Helper()
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("t%02d colour=red", i))
	}
	want, err := w.Wanted(lines...)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range want {
		mark := d.PlainMark("s")
		w.Put(thingtest.Thing{Name: d.Key.Name, Colour: "red", Mark: &mark, Mine: true})
	}
	return want
}

func TestTraceOfWhatChangedAndOfWhatIsGone(t *testing.T) {
	w := &witness{World: thingtest.New()}
	want := w.put(t, 2)
	e := engineOf(w.World)
	e.Kinds, e.Policies = w.kinds(), []plan.Policy{guard.ReportDrift(true)}
	if found, asked := w.traces(t, e, want); len(found) != 0 || asked != 0 {
		t.Fatalf("nothing drifts: found %v, asked %d times", found, asked)
	}
	w.Things["id-001"].Colour = "blue"
	delete(w.Things, "id-002")
	for _, asks := range []int{2, 0, 0} { // the cloud is asked once about the same drift
		found, asked := w.traces(t, e, want)
		if !slices.Equal(found, []kind.Trace{{Who: "id-001", What: "spec.resource.colour"}, {Who: "id-002", What: "deleted"}}) || asked != asks {
			t.Errorf("got %+v, asked %d times", found, asked)
		}
	}
	w.Things["id-001"].Colour = "green"
	if _, asked := w.traces(t, e, want); asked != 1 {
		t.Errorf("another change: asked %d times", asked)
	}
	w.Things["id-001"].Colour = "red"
	w.traces(t, e, want)
	w.Things["id-001"].Colour = "green"
	if _, asked := w.traces(t, e, want); asked != 1 {
		t.Errorf("the same change once more, after it was undone: asked %d times", asked)
	}
	fresh := engineOf(w.World)
	fresh.Kinds = w.kinds()
	w.Things["id-001"].Colour = "green"
	if found, _ := w.traces(t, fresh, want); len(found) != 1 {
		t.Errorf("a new process cannot know what was there, got %+v", found)
	}
}

// If the cloud does not answer the question who made a change, the question is not repeated.
func TestTraceThatIsNotAnswered(t *testing.T) {
	w := &witness{World: thingtest.New(), err: errors.New("down")}
	want := w.put(t, 1)
	e := engineOf(w.World)
	e.Kinds, e.Policies = w.kinds(), []plan.Policy{guard.ReportDrift(true)}
	w.Things["id-001"].Colour = "blue"
	var log bytes.Buffer
	e.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, asks := range []int{1, 0} {
		if found, asked := w.traces(t, e, want); len(found) != 0 || asked != asks {
			t.Errorf("got %+v, asked %d times", found, asked)
		}
	}
	if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), "Thing/t00") {
		t.Errorf("logged: %s", log.String())
	}
}

// For any amount of drift, a pass asks about a few objects, and the next passes ask about the
// others.
func TestTracesOfMany(t *testing.T) {
	w := &witness{World: thingtest.New()}
	const many = 50
	want := w.put(t, many)
	e := engineOf(w.World)
	e.Kinds, e.Policies = w.kinds(), []plan.Policy{guard.ReportDrift(true)}
	for _, thing := range w.Things {
		thing.Colour = "blue"
	}
	for _, asks := range []int{maxTraced, maxTraced, many - 2*maxTraced, 0} {
		if _, asked := w.traces(t, e, want); asked != asks {
			t.Errorf("asked %d times, want %d", asked, asks)
		}
	}
}

func TestTraceIsTheLastChangeWhereTheCloudTellsNoMore(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	gone := &kind.Live{ID: "1", InOwnProject: true, Mark: &kind.Mark{Owner: ownertext.Of("s", thingtest.Key("a")), Applied: "x"}, Phase: kind.Ready, Updated: when, State: &thingtest.Thing{}}
	step := decide.Compute(world.Input{Stack: "s", Kinds: e.Kinds, Have: kind.Snapshot{"Thing": {Items: []*kind.Live{gone}}}}).Steps[0]
	if trace := e.trace(context.Background(), step); trace != (kind.Trace{When: when}) {
		t.Errorf("got %+v", trace)
	}
	step.Have.Updated = time.Time{}
	if trace := e.trace(context.Background(), step); trace != (kind.Trace{}) {
		t.Errorf("the cloud does not report it, got %+v", trace)
	}
}

// The cloud's own record counts more than a message, which may name the user of a service. A message counts where the record knows nobody.
func TestTraceOfTheDriverComesBeforeMessages(t *testing.T) {
	for name, tt := range map[string]struct {
		err error
		who string
	}{"the driver knows": {nil, "id-001"}, "the driver fails": {errors.New("down"), "nova"}} {
		w := &witness{World: thingtest.New(), err: tt.err}
		want := w.put(t, 1)
		e := engineOf(w.World)
		e.Kinds, e.Policies = w.kinds(), []plan.Policy{guard.ReportDrift(true)}
		e.Reported = func(string) (kind.Trace, bool) { return kind.Trace{Who: "nova"}, true }
		w.Things["id-001"].Colour = "blue"
		if found, _ := w.traces(t, e, want); len(found) != 1 || found[0].Who != tt.who {
			t.Errorf("%s: %+v, want %s", name, found, tt.who)
		}
	}
}
