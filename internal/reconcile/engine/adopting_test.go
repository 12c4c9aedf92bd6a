package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// attentive is a world that records for each list whether a complete list was requested.
type attentive struct {
	*thingtest.World
	complete []bool
}

func (a *attentive) List(ctx context.Context, asked kind.Listing) ([]typed.Live[thingtest.Thing], error) {
	a.complete = append(a.complete, asked.Everything)
	return a.World.List(ctx, asked)
}

// If a manifest asks to adopt an object, the kind is listed completely until that object is
// adopted.
func TestEverythingIsListedUntilItIsAdopted(t *testing.T) {
	a := &attentive{World: thingtest.New()}
	e := engineOf(a.World)
	for i, k := range e.Kinds {
		if k.Info.Kind == "Thing" {
			e.Kinds[i] = thingtest.Of(k.Info, a)
		}
	}
	sync := func(text string) []bool {
		t.Helper()
		want, err := a.Wanted(text)
		if err != nil {
			t.Fatal(err)
		}
		a.complete = nil
		e.Sync(t.Context(), Revision{Want: want})
		return a.complete
	}
	for _, step := range []struct {
		before func()
		text   string
		first  bool // whether a complete list is requested first in the pass
	}{
		{nil, "plain", false},
		{nil, "absent take=true", true},
		{nil, "absent take=true", true},
		{func() { a.Put(thingtest.Thing{Name: "absent", Mine: true}) }, "absent take=true", true},
		{nil, "absent take=true", false},
	} {
		if step.before != nil {
			step.before()
		}
		if lists := sync(step.text); len(lists) == 0 || lists[0] != step.first {
			t.Errorf("%s: lists with everything: %v", step.text, lists)
		}
	}
	if want, err := a.Wanted("absent take=true"); err != nil || slices.Contains(sync("absent take=true"), true) || e.adopting(want)[memory.Place{Kind: "Other"}] {
		t.Errorf("%v; everything is listed after the adoption", err)
	}
}
