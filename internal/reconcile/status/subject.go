package status

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// subject contains the facts from which the state of one object follows. These are the step of the plan, the object of the step, and the
// reason why a pass failed at the step.
type subject struct {
	*plan.Step
	want *kind.Desired // nil if the object has no manifest
	have *kind.Live    // nil if the object is not in the cloud
	// uncounted are the differences that remain because of a suspension, or because of the strategy of a group.
	uncounted           []kind.Change
	outdated, suspended bool
	problems            problems
	obstacle            plan.Obstacle
	fault               Fault
}

// problems contains problems of an object that the cloud does not report. Each is a text for people, or "".
type problems struct {
	sick    string // the probes of its group get no good answer.
	crowded string // the object shares a host with other objects that must be on different hosts.
	overdue string // work that is due at a certain time is not done.
}

// subjectsOf returns the subjects of all steps of a plan, after a pass that failed at some of them.
func subjectsOf(p plan.Plan, faults map[manifest.Key]Fault) []subject {
	list := make([]subject, len(p.Steps))
	for i := range p.Steps {
		s := &p.Steps[i]
		list[i] = subject{
			Step: s, want: s.Want, have: s.Have, uncounted: s.Uncounted, outdated: s.Outdated(), suspended: s.Suspended(),
			problems: problems{s.Sick, s.Crowded, s.Overdue()}, obstacle: s.Obstacle,
		}
		if !s.Surplus {
			list[i].fault = faults[s.Key]
		}
	}
	return list
}

// broken reports whether the cloud shows the object as failed.
func (s subject) broken() bool { return s.have != nil && s.have.Phase == kind.Failed }

// lock returns the reason why the cloud refuses changes of the object until somebody unlocks it; "" if it is not locked.
func (s subject) lock() string {
	if s.have == nil {
		return ""
	}
	return s.have.Locked
}
