package engine

import (
	"context"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A pass may wait for a collection none of whose places has to be listed again. Such a collection must not become
// empty in the snapshot.
func TestWhatDoesNotMatterIsNotForgotten(t *testing.T) {
	e := engineOf(thingtest.New())
	e.Entries = []Entry{{Name: "other"}}
	r := newRun(e, Revision{})
	const things = "Thing"
	r.snapshot = kind.Snapshot{things: mergeLists([]kind.Shown{{Items: []*kind.Live{{ID: "theirs", Name: "theirs"}}}}, func(*kind.Live) (string, bool) { return "", false })}
	r.relist(t.Context(), []string{things}, true)
	if items := r.snapshot[things].Items; len(items) != 1 || r.fresh[things].at.IsZero() {
		t.Errorf("there are %v, listed at %s", items, r.fresh[things].at)
	}
}

// While the written collections are listed at the end of a pass, the old plan is not in memory.
func TestTheLastListsReplaceThePlan(t *testing.T) {
	e, planned := engineOf(thingtest.New()), 1
	r := newRun(e, Revision{})
	r.snapshot = kind.Snapshot{}
	things := e.kind("Thing").Driver
	list := things.List
	things.List = func(ctx context.Context, asked kind.Listing) (*kind.Index, error) {
		planned = len(r.round.plan.Steps)
		return list(ctx, asked)
	}
	r.round.plan.Steps = []plan.Step{stepFor("a", plan.Keep)}
	if r.relistWritten(t.Context()) || len(r.round.plan.Steps) != 1 {
		t.Error("nothing was written, and a collection is listed or the plan is dropped")
	}
	r.fresh["Thing"].touched = true
	if !r.relistWritten(t.Context()) || planned != 0 || !r.listsUnplanned {
		t.Errorf("the plan has %d steps while its collection is listed", planned)
	}
}
