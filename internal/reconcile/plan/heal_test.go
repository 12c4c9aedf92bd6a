package plan

import (
	"reflect"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// The next plan knows how long a member has been down, even if a plan in between could not list it.
func TestPatients(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	long, lately, ago := now.Add(-9*time.Minute), now.Add(-time.Minute), now.Add(-2*time.Hour)
	down := rollout.Patient{Down: "stopped", Since: long, Healed: []time.Time{lately}}
	live := func(phase kind.Phase, down string) *kind.Live { return &kind.Live{Phase: phase, Down: down} }
	for name, c := range map[string]struct {
		step   Step
		before rollout.Patient
		want   rollout.Patient // zero for a member that is forgotten
	}{
		"goes down":            {Step{Action: Keep, Object: Object{Have: live(kind.Ready, "stopped")}}, rollout.Patient{}, rollout.Patient{Down: "stopped", Since: now}},
		"stays down":           {Step{Action: Keep, Object: Object{Have: live(kind.Ready, "stopped")}}, down, down},
		"is down otherwise":    {Step{Action: Keep, Object: Object{Have: live(kind.Ready, "paused")}}, down, rollout.Patient{Down: "paused", Since: now, Healed: []time.Time{lately}}},
		"cannot be listed":     {Step{Action: Wait, Error: true}, down, down},
		"was deleted":          {Step{Action: Create}, down, rollout.Patient{Healed: []time.Time{lately}}},
		"is being changed":     {Step{Action: Wait, Object: Object{Have: live(kind.Pending, "")}}, down, rollout.Patient{Healed: []time.Time{lately}}},
		"serves again":         {Step{Action: Keep, Object: Object{Have: live(kind.Ready, "")}}, down, rollout.Patient{Healed: []time.Time{lately}}},
		"has served for hours": {Step{Action: Keep, Object: Object{Have: live(kind.Ready, "")}}, rollout.Patient{Healed: []time.Time{ago}}, rollout.Patient{}},
	} {
		member := manifest.Key{Kind: "Server", Name: "web-0"}
		before := map[manifest.Key]rollout.Patient{}
		if !reflect.DeepEqual(c.before, rollout.Patient{}) {
			before[member] = c.before
		}
		c.step.Key, c.step.Membership = member, Membership{Part: &Part{Member: member}, IsWorker: true}
		if got := (Plan{Steps: []Step{c.step}}).Patients(before, now)[member]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("a member that %s: got %+v, want %+v", name, got, c.want)
		}
	}
}
