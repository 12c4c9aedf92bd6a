package engine

import (
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// split creates a flock of three with a partition, so that a change of shape is applied only to the last sheep.
func split(t *testing.T) *herd {
	t.Helper()
	h := newHerd()
	h.roll = ", from: 2"
	if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
		t.Fatal(failed(pass))
	}
	return h
}

// states returns the states of all objects.
func states(pass Pass, h *herd) map[string]status.State {
	all := map[string]status.State{}
	for _, o := range status.Of(pass.Last, h.engine.Kinds) {
		all[o.Metadata.Name] = o.Status.State
	}
	return all
}

// A member below the partition that somebody has changed is corrected, and the change is drift.
func TestMembersBelowAPartitionAreKeptAsTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := split(t)
		h.called("sheep-0").Colour = "black"
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync || pass.Drifted() != 1 || h.called("sheep-0").Colour != "" {
			t.Errorf("%s, %d drifted: %s; %s", pass.Outcome(), pass.Drifted(), h.called("sheep-0").Colour, failed(pass))
		}
	})
}

// A change that interrupts no member is made on all members at the same time, even below the partition.
func TestMembersBelowAPartitionGetWhatInterruptsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := split(t)
		pass := h.sync(t, 3, "round, colour: red")
		for _, name := range []string{"sheep-0", "sheep-1", "sheep-2"} {
			if got := h.called(name).Colour; got != "red" || pass.Outcome() != plan.InSync {
				t.Errorf("%s is %q: %s; %s", name, got, pass.Outcome(), failed(pass))
			}
		}
		if again := h.sync(t, 3, "round, colour: red"); again.Outcome() != plan.InSync || len(again.Results) > 0 {
			t.Errorf("then: %s: %v", again.Outcome(), again.Results)
		}
	})
}

// If the correction of a difference would interrupt a frozen member, it is not made. The difference is reported as
// drift if no commit explains it. Otherwise the member counts as outdated, and other changes of the same step are
// not made either.
func TestWhatInterruptsMembersBelowAPartitionIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := split(t)
		h.called("sheep-0").Shape = "square"
		for range 2 {
			pass := h.sync(t, 3, "round")
			if got := states(pass, h)["sheep-0"]; pass.Outcome() != plan.OutOfSync || pass.Last.Summary().Drifted != 1 || got != status.StateDrifted || h.called("sheep-0").Shape != "square" {
				t.Errorf("%s, %s: %s; %s", pass.Outcome(), pass.Last.Summary(), got, failed(pass))
			}
			if s := stepOf(t, pass, "sheep-0"); !s.Causes.Has(cause.LeftPartition) || !kind.Has(s.Changes, "spec.resource.shape") {
				t.Errorf("%s, %v", s.Causes, s.Changes)
			}
		}
		pass := h.sync(t, 3, "flat, colour: red")
		if pass.Outcome() != plan.InSync || h.shapes() != "square round flat" || h.called("sheep-1").Colour != "" {
			t.Errorf("%s: %s", h.shapes(), failed(pass))
		}
		s := stepOf(t, pass, "sheep-1")
		if states(pass, h)["sheep-1"] != status.StateOutdated || !s.Causes.Has(cause.LeftPartition) || !kind.Has(s.Uncounted, "spec.resource.colour") || !kind.Has(s.Uncounted, "spec.resource.shape") {
			t.Errorf("%s: %s, %v", states(pass, h)["sheep-1"], s.Causes, s.Uncounted)
		}
	})
}
