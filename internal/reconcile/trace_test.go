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
	*World
	err error
}

func (w witness) Trace(_ context.Context, have Live[*Thing], changes []Change) (Trace, bool, error) {
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
	w := New()
	want, err := w.Wanted("a colour=red", "b")
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(w)
	e.Kinds = []Kind{Define[Spec, Filter, Thing](w.Kind().Info(), Rules_{}, witness{World: w})}
	e.Policies = []Policy{ReportDrift(true)}
	for _, d := range want {
		mark := d.PlainMark("s")
		w.Put(Thing{Name: d.Key.Name, Colour: map[string]string{"a": "red"}[d.Key.Name], Mark: &mark, Mine: true})
	}
	if _, pass := traces(t, e, want); pass.Outcome() != InSync {
		t.Fatal(failed(pass))
	}
	w.Things["id-001"].Colour = "blue"
	delete(w.Things, "id-002")
	for range 2 { // the second time it is gone for longer
		found, _ := traces(t, e, want)
		if !slices.Equal(found, []Trace{{Who: "id-001", What: "spec.resource.colour"}, {Who: "id-002", What: "deleted"}}) {
			t.Errorf("got %+v", found)
		}
	}
	fresh := engineOf(w)
	fresh.Kinds = e.Kinds
	if found, _ := traces(t, fresh, want); len(found) != 1 {
		t.Errorf("a new process cannot know what was there, got %+v", found)
	}
	fresh.Kinds = []Kind{Define[Spec, Filter, Thing](w.Kind().Info(), Rules_{}, witness{w, errors.New("down")})}
	if found, _ := traces(t, fresh, want); len(found) != 0 {
		t.Errorf("the cloud did not answer, got %+v", found)
	}
}

func TestTraceIsTheLastChangeWhereTheCloudTellsNoMore(t *testing.T) {
	w := New()
	e := engineOf(w)
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	step := Step{Key: Key("a"), have: &Live[any]{ID: "1", Updated: when, State: &Thing{}}}
	if trace, ok := e.Trace(context.Background(), step); !ok || trace != (Trace{When: when}) {
		t.Errorf("got %+v, %v", trace, ok)
	}
	step.Have().Updated = time.Time{}
	if trace, ok := e.Trace(context.Background(), step); ok {
		t.Errorf("the cloud does not tell, got %+v", trace)
	}
}
