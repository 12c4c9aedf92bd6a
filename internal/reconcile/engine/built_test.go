package engine

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// Collections are listed often until it is known how long the cloud works on their objects, and then once in a tenth of that time.
func TestListsFollowTheTimeOfTheCloud(t *testing.T) {
	now := time.Now()
	step := func(name string, phase kind.Phase) plan.Step {
		s := plan.Step{Key: thingtest.Key(name), Action: plan.Wait, Object: plan.Object{Have: &kind.Live{ID: name, Phase: phase}}}
		if phase == kind.Ready {
			s.Action = plan.Keep
		}
		return s
	}
	for name, c := range map[string]struct {
		took []time.Duration
		last kind.Phase
		want time.Duration
	}{
		"nothing was built":              {nil, kind.Ready, 500 * time.Millisecond},
		"an object was ready soon":       {[]time.Duration{time.Second}, kind.Ready, 500 * time.Millisecond},
		"an object took long":            {[]time.Duration{20 * time.Second}, kind.Ready, 2 * time.Second},
		"it took very long":              {[]time.Duration{time.Hour}, kind.Ready, 5 * time.Second},
		"it failed":                      {[]time.Duration{20 * time.Second}, kind.Failed, 500 * time.Millisecond},
		"it is being deleted":            {[]time.Duration{20 * time.Second}, kind.Deleting, 500 * time.Millisecond},
		"the next one took less":         {[]time.Duration{40 * time.Second, 10 * time.Second}, kind.Ready, time.Second},
		"the next one waited for a turn": {[]time.Duration{20 * time.Second, 40 * time.Second}, kind.Ready, 2500 * time.Millisecond},
	} {
		r := newTestRun()
		at := now
		for i, took := range c.took {
			object := string(rune('a' + i))
			for _, s := range []plan.Step{step(object, kind.Pending), step(object, c.last)} {
				r.round = newRound(plan.Plan{Steps: []plan.Step{s}})
				r.trackPending(at)
				at = at.Add(took)
			}
			at = at.Add(time.Hour) // the time between two objects does not count
		}
		if got := r.poll("Thing"); got != c.want {
			t.Errorf("%s: lists every %s, want %s", name, got, c.want)
		}
		r.storeList("Thing", kind.Collection{}, at, at)
		if got := r.fresh["Thing"].listInterval; got < c.want {
			t.Errorf("%s: the next list follows after %s, want %s at least", name, got, c.want)
		}
	}
}
