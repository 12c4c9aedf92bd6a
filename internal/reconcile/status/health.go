package status

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Health is the health of an object in the cloud, regardless of its manifest. A kind can add a word for an object that is down, such as
// "stopped".
type Health string

// These are the healths of objects, the worst first. An object that is down is as bad as a failed one.
const (
	HealthFailed   Health = "failed"
	HealthMissing  Health = "missing"
	HealthUnknown  Health = "unknown" // the cloud could not be asked
	HealthDegraded Health = "degraded"
	HealthBusy     Health = "in progress" // the cloud is working on it
	HealthGood     Health = "healthy"
)

var worstHealth = []Health{HealthFailed, HealthMissing, HealthUnknown, HealthDegraded, HealthBusy, HealthGood}

// Worse returns the worse of two healths. "" means no health.
func (h Health) Worse(other Health) Health {
	if h == "" || other != "" && other.gravity() < h.gravity() {
		return other
	}
	return h
}

func (h Health) gravity() int { return max(0, slices.Index(worstHealth, h)) }

// health returns the health of a step's object.
func (s subject) health() Health {
	switch {
	case s.have == nil && s.Action == plan.Wait && s.Error:
		return HealthUnknown
	case s.have == nil:
		return HealthMissing
	case s.broken():
		return HealthFailed
	case s.have.Down != "":
		return Health(s.have.Down)
	case s.have.Phase != kind.Ready && s.have.Phase != kind.Degraded:
		return HealthBusy
	case s.have.Phase == kind.Degraded || s.have.Message != "" || s.problems.sick != "" || s.problems.crowded != "":
		return HealthDegraded
	}
	return HealthGood
}

// sync returns the result of comparing a step's object with its manifest, regardless of the object's health. state is the combination of
// both.
func (s subject) sync(state State) State {
	switch {
	case state.gravity() != StateFailed.gravity() && state != StateDegraded:
		return state
	case s.fault.Text != "" || s.Error:
		return StateFailed
	case s.Drift && !s.broken() || s.Reported():
		return StateDrifted
	case s.Action == plan.Wait:
		return StateWaiting
	}
	if state, ok := stateOfAction[s.Action]; ok {
		return state
	}
	if s.want == nil {
		return StateKept
	}
	return StateInSync
}
