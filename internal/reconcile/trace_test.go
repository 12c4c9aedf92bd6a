package reconcile

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// witness is a world whose cloud tells who changed what.
type witness struct {
	*world
	err error
}

func (w witness) Trace(_ context.Context, have Live[*thing], changes []Change) (Trace, bool, error) {
	what := "deleted"
	if have.State != nil {
		what = changes[0].Field
	}
	return Trace{Who: have.ID, What: what}, true, w.err
}

// traces runs a pass and asks who did what it found.
func traces(t *testing.T, e *Engine, want []Desired) (found []Trace, pass Pass) {
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
	w := newWorld()
	want, err := w.wanted("a colour=red", "b")
	if err != nil {
		t.Fatal(err)
	}
	e := w.engine()
	e.Kinds = []Kind{Define[thingSpec, thingFilter, thing](w.kind().Info(), thingRules{}, witness{world: w})}
	e.Policies = []Policy{ReportDrift(true)}
	for _, d := range want {
		mark := d.mark("s")
		w.put(thing{name: d.Key.Name, colour: map[string]string{"a": "red"}[d.Key.Name], mark: &mark, mine: true})
	}
	if _, pass := traces(t, e, want); pass.Outcome() != InSync {
		t.Fatal(failed(pass))
	}
	w.things["id-001"].colour = "blue"
	delete(w.things, "id-002")
	for range 2 { // the second time it is gone for longer
		found, _ := traces(t, e, want)
		if !slices.Equal(found, []Trace{{Who: "id-001", What: "spec.resource.colour"}, {Who: "id-002", What: "deleted"}}) {
			t.Errorf("got %+v", found)
		}
	}
	fresh := w.engine()
	fresh.Kinds = e.Kinds
	if found, _ := traces(t, fresh, want); len(found) != 1 {
		t.Errorf("a new process cannot know what was there, got %+v", found)
	}
	fresh.Kinds = []Kind{Define[thingSpec, thingFilter, thing](w.kind().Info(), thingRules{}, witness{w, errors.New("down")})}
	if found, _ := traces(t, fresh, want); len(found) != 0 {
		t.Errorf("the cloud did not answer, got %+v", found)
	}
}

func TestTraceIsTheLastChangeWhereTheCloudTellsNoMore(t *testing.T) {
	w := newWorld()
	e := w.engine()
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	step := Step{Key: thingKey("a"), have: &Live[any]{ID: "1", Updated: when, State: &thing{}}}
	if trace, ok := e.Trace(context.Background(), step); !ok || trace != (Trace{When: when}) {
		t.Errorf("got %+v, %v", trace, ok)
	}
	step.have.Updated = time.Time{}
	if trace, ok := e.Trace(context.Background(), step); ok {
		t.Errorf("the cloud does not tell, got %+v", trace)
	}
}
