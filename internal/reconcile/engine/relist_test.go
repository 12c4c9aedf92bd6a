package engine

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
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
