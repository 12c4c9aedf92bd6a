package status

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// The result of the comparison with the manifest and the health are two separate values, so that neither hides the other.
func TestSyncAndHealth(t *testing.T) {
	for _, c := range []struct {
		name                 string
		repo, cloud, options []string
		sync                 State
		health               Health
	}{
		{"as wanted", []string{"a colour=red"}, []string{"a ours colour=red"}, nil, StateInSync, HealthGood},
		{"stopped", []string{"a"}, []string{"a ours down=stopped"}, nil, StateInSync, "stopped"},
		{"stopped and drifted", []string{"a colour=red"}, []string{"a ours down=stopped colour=blue"}, []string{"report"}, StateDrifted, "stopped"},
		{"broken, to be replaced", []string{"a"}, []string{"a ours failed"}, nil, StateReplace, HealthFailed},
		{"drifted and well", []string{"a colour=red"}, []string{"a ours colour=blue"}, nil, StateDrifted, HealthGood},
		{"missing", []string{"a"}, nil, nil, StateCreate, HealthMissing},
		{"the cloud works on it", []string{"a"}, []string{"a ours building"}, nil, StateWaiting, HealthBusy},
		{"cannot be seen", []string{"a"}, nil, []string{"unlisted"}, StateUnknown, HealthUnknown},
		{"a commit changed it", []string{"a colour=blue"}, []string{"a stale colour=red"}, nil, StateChange, HealthGood},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Of(planned(t, c.repo, c.cloud, c.options), []*kind.Kind{thingtest.New().Kind()})[0].Status
			if got.Sync != c.sync || got.Health != c.health {
				t.Errorf("%s, %s; want %s, %s", got.Sync, got.Health, c.sync, c.health)
			}
		})
	}
}

// A workload has the health of the part with the worst health. It has the comparison of the part with the gravest difference.
func TestHealthOfSeveral(t *testing.T) {
	s := summary([]*Object{
		{Status: Status{State: StateInSync, Sync: StateInSync, Health: HealthGood, Conditions: make([]Condition, 2)}},
		{Status: Status{State: "stopped", Sync: StateInSync, Health: "stopped", Conditions: make([]Condition, 2)}},
		{Status: Status{State: StateDrifted, Sync: StateDrifted, Health: HealthBusy, Conditions: make([]Condition, 2)}},
	})
	if s.Sync != StateDrifted || s.Health != "stopped" {
		t.Errorf("%s, %s", s.Sync, s.Health)
	}
}
