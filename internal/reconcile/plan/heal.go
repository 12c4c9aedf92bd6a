package plan

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// HealthField is the field of the change that reports that an object does not serve.
const HealthField = "health"

// RequestField is the field of the change that a person requests with the replacement of an object.
const RequestField = "replacement"

// Patients returns, for the next plan, the members of groups that do not serve, or that were healed within the last hour.
func (p Plan) Patients(before map[manifest.Key]rollout.Patient, now time.Time) map[manifest.Key]rollout.Patient {
	out := map[manifest.Key]rollout.Patient{}
	for _, s := range p.Steps {
		if s.Part != nil && len(before[s.Part.Member].Healed) > 0 {
			out[s.Part.Member] = rollout.Patient{Healed: before[s.Part.Member].Healed}
		}
	}
	for _, s := range p.Steps {
		if s.Part == nil || !s.IsWorker {
			continue
		}
		if was, known := before[s.Part.Member]; known && s.Have == nil && s.Action == Wait { // the object may exist although it is not listed
			out[s.Part.Member] = was
		}
		if s.Have == nil || !s.Have.Phase.Usable() {
			continue
		}
		if s.Have.Down == "" && !s.Unanswering {
			if served := s.Sick == ""; served {
				forgetHealed(out, s.Part.Member, now)
			}
			continue
		}
		was, next := before[s.Part.Member], rollout.Patient{Down: s.Have.Down, Silent: s.Unanswering, Since: now, Healed: out[s.Part.Member].Healed}
		if was.Down == next.Down && was.Silent == next.Silent && !was.Since.IsZero() {
			next.Since = was.Since
		}
		out[s.Part.Member] = next
	}
	return out
}

// forgetHealed removes the times at which a member that serves was healed, if they are more than an hour ago.
func forgetHealed(patients map[manifest.Key]rollout.Patient, member manifest.Key, now time.Time) {
	healed := slices.DeleteFunc(slices.Clone(patients[member].Healed), func(t time.Time) bool { return now.Sub(t) >= time.Hour })
	if len(healed) == 0 {
		delete(patients, member)
		return
	}
	patients[member] = rollout.Patient{Healed: healed}
}

// Heals returns the member that the step heals. ok is false if the step heals no member.
func (s Step) Heals() (member manifest.Key, ok bool) {
	if s.Part == nil || !s.Healing {
		return manifest.Key{}, false
	}
	return s.Part.Member, true
}

// Heals reports whether members may be healed although the plan is held, and a member does not serve. If every change waits for an
// approval, healing waits, too.
func (p Plan) Heals() bool {
	return p.Held != nil && p.Manual == "" && p.Suspended == "" && slices.ContainsFunc(p.Steps, func(s Step) bool {
		return s.Part != nil && s.IsWorker && s.Have != nil && (s.Healing || s.Have.Down != "" || s.Unanswering)
	})
}

// OnlyHealing returns the plan with every writing step turned into Keep, except the steps that heal members.
func (p Plan) OnlyHealing() Plan {
	return p.MapSteps(func(s Step) Step {
		if s.Healing || !s.Action.Writes() {
			return s
		}
		s.Action = Keep
		return s
	})
}
