package group

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

func TestForecast(t *testing.T) {
	made := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	flock := manifest.Key{Kind: "Flock", Name: "sheep"}
	one := func(took time.Duration) *member {
		work := &plan.Step{Key: manifest.Key{Kind: "Thing"}, Action: plan.Recreate, Object: plan.Object{Have: &kind.Live{Created: made, Since: made.Add(took)}}}
		port := &plan.Step{Key: manifest.Key{Kind: "Port"}, Action: plan.Keep, Object: plan.Object{Have: &kind.Live{}}}
		return &member{worker: work, changes: []*plan.Step{work}, steps: []*plan.Step{work, port}}
	}
	ten := make([]*member, 10)
	for i := range ten {
		ten[i] = one(time.Duration(100-i) * time.Second)
	}
	changedSince, unknown := one(90*time.Hour), one(0)
	unknown.worker.Have.Since = time.Time{}
	for _, c := range []struct {
		strategy rollout.Strategy
		members  []*member
		want     string
	}{
		{rollout.Strategy{}, ten, "10 members are changed, one at a time; each keeps its Port; about 15 min"},
		{rollout.Strategy{MaxUnavailable: &rollout.Amount{Count: 4}}, ten, "10 members are changed, 4 at a time; each keeps its Port; about 5 min"},
		{rollout.Strategy{MaxSurge: &rollout.Amount{Count: 2}}, ten, "10 members are changed, with 2 additional members during the change; each keeps its Port; about 8 min"},
		{rollout.Strategy{MinReady: time.Hour}, ten, "10 members are changed, one at a time; each keeps its Port; about 10 h"},
		{rollout.Strategy{}, []*member{one(20 * time.Second), changedSince}, "2 members are changed, one at a time; each keeps its Port; about 40 s"},
		{rollout.Strategy{}, []*member{changedSince, unknown}, "2 members are changed, one at a time; each keeps its Port"},
		{rollout.Strategy{}, ten[:1], ""},
	} {
		got := (&group{key: flock, strategy: c.strategy, members: c.members}).forecast()
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
