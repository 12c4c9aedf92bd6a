package plan

import (
	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Difference returns a checksum of the difference between a step's object and its manifest. Equal checksums mean equal differences.
func (s Step) Difference() checksum.Sum {
	all := checksum.New("difference")
	all.Add(s.Key.String(), string(s.Action), s.ID(), s.Lost)
	for _, c := range s.Changes {
		all.Add(c.Field, resolve.Canonical(c.Have), resolve.Canonical(c.Want))
	}
	return all.Sum()
}

// Drifting reports whether the step corrects or reports a change in the cloud that no commit explains.
func (s Step) Drifting() bool { return s.Drift && (s.Action != Keep || len(s.Changes) > 0) }

// Vanished reports whether the object of a drifting step no longer exists.
func (s Step) Vanished() bool {
	return s.Action == Create ||
		s.Action == Keep && s.ID() == "" && len(s.Changes) == 1 && s.Changes[0].Field == "metadata.name"
}

// DriftText says what was done to the object of a step in the cloud, and who did it and when, as far as that is known. It is "" if the state
// or the reason of the step already says it.
func (s Step) DriftText() string {
	done := "changed in the cloud"
	if s.Vanished() {
		done = "deleted in the cloud"
	}
	switch {
	case !s.Drifting():
		return ""
	case s.Trace != nil && *s.Trace != (kind.Trace{}):
		return s.Trace.Text(done)
	case s.Broken() || s.Action != Create && s.Action != Update && s.Action != Keep:
		return ""
	case s.Trace != nil:
		return s.Trace.Text(done)
	}
	return done
}

// Drifting returns the steps about changes in the cloud that no commit explains.
func (p Plan) Drifting() (steps []Step) {
	for _, s := range p.Steps {
		if s.Drifting() {
			steps = append(steps, s)
		}
	}
	return steps
}

// WithTraces returns the plan with traces: for each drifting step, the Trace that the function of returns.
func (p Plan) WithTraces(of func(Step) *kind.Trace) Plan {
	if len(p.Drifting()) == 0 {
		return p // copying the steps would take megabytes
	}
	return p.MapSteps(func(s Step) Step {
		if s.Drifting() {
			s.Trace = of(s)
		}
		return s
	})
}
