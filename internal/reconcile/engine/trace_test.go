package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// witness is a world whose cloud reports who changed what.
type witness struct {
	*thingtest.World
	err error
}

func (w witness) Trace(_ context.Context, have kind.Live[*thingtest.Thing], changes []kind.Change) (kind.Trace, bool, error) {
	what := "deleted"
	if have.State != nil {
		what = changes[0].Field
	}
	return kind.Trace{Who: have.ID, What: what}, true, w.err
}

// traces runs a pass and asks who did what it found.
func traces(t *testing.T, e *Engine, want []kind.Desired) (found []kind.Trace, pass Pass) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		pass = e.Sync(context.Background(), Revision{Commit: "c", Want: want, Synced: true})
	})
	for _, s := range pass.First.Steps {
		if !s.Drift {
			continue
		}
		if trace, ok := e.Trace(context.Background(), s); ok {
			found = append(found, trace)
		}
	}
	return found, pass
}

func TestTraceOfWhatChangedAndOfWhatIsGone(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("a colour=red", "b")
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(w)
	e.Kinds = []kind.Kind{kind.Define[thingtest.Spec, thingtest.Filter, thingtest.Thing](w.Kind().Info(), thingtest.Rules{}, witness{World: w})}
	e.Policies = []plan.Policy{plan.ReportDrift(true)}
	for _, d := range want {
		mark := d.PlainMark("s")
		w.Put(thingtest.Thing{Name: d.Key.Name, Colour: map[string]string{"a": "red"}[d.Key.Name], Mark: &mark, Mine: true})
	}
	if _, pass := traces(t, e, want); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	w.Things["id-001"].Colour = "blue"
	delete(w.Things, "id-002")
	for range 2 { // the second time it is gone for longer
		found, _ := traces(t, e, want)
		if !slices.Equal(found, []kind.Trace{{Who: "id-001", What: "spec.resource.colour"}, {Who: "id-002", What: "deleted"}}) {
			t.Errorf("got %+v", found)
		}
	}
	fresh := engineOf(w)
	fresh.Kinds = e.Kinds
	if found, _ := traces(t, fresh, want); len(found) != 1 {
		t.Errorf("a new process cannot know what was there, got %+v", found)
	}
	fresh.Kinds = []kind.Kind{kind.Define[thingtest.Spec, thingtest.Filter, thingtest.Thing](w.Kind().Info(), thingtest.Rules{}, witness{w, errors.New("down")})}
	if found, _ := traces(t, fresh, want); len(found) != 0 {
		t.Errorf("the cloud did not answer, got %+v", found)
	}
}

func TestTraceIsTheLastChangeWhereTheCloudTellsNoMore(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	gone := kind.Live[any]{ID: "1", Mine: true, Mark: &kind.Mark{Owner: kind.OwnerText("s", thingtest.Key("a")), Applied: "x"}, Phase: kind.Ready, Updated: when, State: &thingtest.Thing{}}
	step := plan.Compute(plan.Input{Stack: "s", Kinds: e.Kinds, Have: kind.Snapshot{"Thing": {Items: []kind.Live[any]{gone}}}}).Steps[0]
	if trace, ok := e.Trace(context.Background(), step); !ok || trace != (kind.Trace{When: when}) {
		t.Errorf("got %+v, %v", trace, ok)
	}
	step.Have().Updated = time.Time{}
	if trace, ok := e.Trace(context.Background(), step); ok {
		t.Errorf("the cloud does not report it, got %+v", trace)
	}
}
