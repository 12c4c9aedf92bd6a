package agent

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// If a commit changes nothing in the stack's folder, it does not end a pass, and it does not invalidate the approval of the pass's plan.
func TestACommitElsewhereLeavesTheStackAlone(t *testing.T) {
	o := &outside{commit: "one", tree: "same"}
	held := engine.Pass{First: plan.Plan{Commit: "one", Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "too much")}}}, Last: plan.Plan{Commit: "one", Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "too much")}}}}
	var release chan struct{} // a channel of the bubble
	var cut bool
	o.pass = func(ctx context.Context, n int) engine.Pass {
		switch n {
		case 1:
			return held
		case 2: // an approved pass that does not finish
			select {
			case <-release:
			case <-ctx.Done():
				cut = true
			}
			return engine.Pass{Interrupted: true, First: plan.Plan{Commit: "one"}}
		}
		return engine.Pass{}
	}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		release = make(chan struct{})
		if err := s.Approve(held.First.Hash(), "ann"); err != nil {
			t.Fatal(err)
		}
		o.pause(0)
		for _, commit := range []string{"two", "three"} {
			o.commit = commit
			s.Wake()
			o.pause(time.Minute)
		}
		if len(o.passes) != 2 || cut {
			t.Errorf("%d passes, cut off: %t; want the second to go on", len(o.passes), cut)
		}
		close(release)
		o.pause(0)
		if len(o.passes) != 3 || o.passes[2].Commit != "three" || !slices.ContainsFunc(o.passes[2].Approved, func(a plan.Approval) bool { return a.By == "ann" && a.Commit == "three" }) {
			t.Errorf("%d passes, the last %+v; want one of the newest commit with the approval", len(o.passes), o.passes[len(o.passes)-1])
		}
	})
}

// If only other folders have changed, a difference in the cloud is still drift.
func TestACommitElsewhereExplainsNothing(t *testing.T) {
	for tree, want := range map[string]bool{"same": true, "": false} {
		o := &outside{commit: "one", tree: tree}
		s := o.stack(t, "@every 1m", "@every 5m")
		s.Pass(t.Context())
		o.commit = "two"
		s.Pass(t.Context())
		if got := o.passes[1].Synced; got != want {
			t.Errorf("tree %q: synced %t, want %t", tree, got, want)
		}
	}
}
