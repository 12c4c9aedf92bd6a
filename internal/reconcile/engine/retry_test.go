package engine

import (
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A step that needs a missing object does not fail while the result of a write is not in a plan
// yet. The next plan may start steps that the write has made possible.
func TestWhatWasWrittenSincePlanningIsNews(t *testing.T) {
	eager, base := manifest.Key{Kind: "Thing", Name: "eager"}, manifest.Key{Kind: "Thing", Name: "base"}
	notYet := &history{err: fmt.Errorf("%w: top", kind.ErrNotYet)}
	for _, tt := range []struct {
		name  string
		since func(*run)
		idle  bool
	}{
		{"nothing", func(*run) {}, true},
		{"an answer that was lost", func(r *run) { r.fresh["Thing"].stale[base] = true }, false},
		{"another that waits", func(r *run) { r.fresh["Thing"].stale[base], r.histories[base.String()] = true, notYet }, true},
		{"what was given up", func(r *run) { r.fresh["Thing"].stale[base], r.histories[base.String()] = true, &history{final: true} }, true},
		{"what was made", func(r *run) { r.noteChanged("Thing", entryObject{id: "1"}, &kind.Live{ID: "1"}) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(engineOf(thingtest.New()), Revision{})
			r.histories[eager.String()] = notYet
			r.fresh["Thing"].stale[eager] = true
			tt.since(r)
			if r.idle(eager.String()) != tt.idle {
				t.Errorf("idle is %t", !tt.idle)
			}
		})
	}
}
