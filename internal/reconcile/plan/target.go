package plan

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// An approval is known to the process that was given it, and to the forge where it was given on one. What else shows after a
// restart that a rollout was approved of is on the machines that it has made: each bears a sum over all that its group was to
// become. The rest of the rollout goes on where
//
//	a member bears the mark of the stack, and the sum of what the manifests say now,
//	it is as they want it, and
//	it is younger than all that is still to be changed for them.
//
// The sum binds what an approval binds, of all members and by whole SHA-256, and which objects of the cloud they refer to. What
// drifted meanwhile, and what goes because the group has fewer members, is no part of it.

// targetOf is the sum over what a group is to become, of these parts.
func (p *planner) targetOf(group manifest.Key, parts []*kind.Desired) string {
	all := kind.NewSums("target")
	all.Add(p.Stack, group.Group, group.String())
	for _, d := range parts {
		all.Add(d.Key.Group, d.Key.String())
		all.AddSums(p.boundSum(d, true))
		for _, ref := range d.Refs {
			target, live := p.byKey[ref.Key], p.live[ref.Key]
			if within := p.partOf(target); within != nil && within.group == group && !target.Unmanaged || live == nil {
				continue
			}
			all.Add(ref.Field, ref.Key.Group, ref.Key.String(), live.ID)
		}
	}
	sum := all.Sum()
	return hex.EncodeToString(sum[:])
}

// partsOf are those of the groups that these steps are of, but for what stands in for a while.
func (w *world) partsOf(groups map[manifest.Key][]*Step) map[manifest.Key][]*kind.Desired {
	parts := map[manifest.Key][]*kind.Desired{}
	for i := range w.Want {
		d := &w.Want[i]
		if of := w.partOf(d); of != nil && groups[of.group] != nil && !w.byKey[of.member].Spare {
			parts[of.group] = append(parts[of.group], d)
		}
	}
	return parts
}

// carryOn notes what machines bear that are made, and which steps go on with a rollout that was approved of before.
func (p *planner) carryOn() {
	changing, said := map[manifest.Key][]*Step{}, map[manifest.Key]bool{}
	for i := range p.steps {
		s := &p.steps[i]
		if s.part == nil {
			continue
		}
		if s.want != nil && s.Action.Writes() && !s.surplus {
			changing[s.part.group] = append(changing[s.part.group], s)
		}
		if s.have != nil && s.have.Mark != nil && s.have.Mark.Target != "" {
			said[s.part.group] = true
		}
	}
	maps.DeleteFunc(changing, func(group manifest.Key, _ []*Step) bool { return !p.Approving && !said[group] })
	if len(changing) == 0 || p.Healing {
		return
	}
	shown, parts := map[manifest.Key]*Step{}, p.partsOf(changing)
	for group, steps := range changing {
		if !slices.ContainsFunc(steps, func(s *Step) bool { return s.Action == Create || s.Action == Recreate }) {
			continue
		}
		target := p.targetOf(group, parts[group])
		for _, s := range steps {
			if p.doesTheWork(s.Key, s.part.member) {
				s.target = target
			}
		}
		if witness := p.witness(group, target); witness != nil {
			for _, s := range steps {
				if s.continues = !s.Drift && s.have != nil && p.since(s).Before(witness.have.Created) && !p.since(s).IsZero(); s.continues {
					shown[group] = witness
				}
			}
			for _, s := range steps { // a machine that was deleted, and not made yet
				s.continues = s.continues || s.have == nil && !s.Drift && shown[group] != nil
			}
		}
	}
	for i := range p.workloads {
		if w := &p.workloads[i]; shown[w.Key] != nil {
			w.Notes = append(slices.Clip(w.Notes), kind.Note{Field: "spec.template", Text: fmt.Sprintf("the rollout goes on that was approved of, as %s shows", shown[w.Key].Key)})
		}
	}
}

// witness is the youngest machine of a group that shows what was approved of; nil for none.
func (p *planner) witness(group manifest.Key, target string) (youngest *Step) {
	for i := range p.steps {
		s := &p.steps[i]
		if s.part == nil || s.part.group != group || s.surplus || s.have == nil || s.have.Copied != "" || !p.doesTheWork(s.Key, s.part.member) {
			continue
		}
		owned := s.have.Mark != nil && s.have.Mark.Owner == kind.OwnerText(p.Stack, s.Key) && s.have.Mark.Rivals == "" && s.have.Mark.Target == target
		if owned && (s.Action == Keep || s.Action == Wait) && len(s.Changes) == 0 && (youngest == nil || youngest.have.Created.Before(s.have.Created)) {
			youngest = s
		}
	}
	return youngest
}

// since is when an object was made, or the machine of its member where that is not known; the zero time for neither.
func (p *planner) since(s *Step) time.Time {
	if !s.have.Created.IsZero() {
		return s.have.Created
	}
	for i := range p.steps {
		if of := &p.steps[i]; of.part != nil && of.part.member == s.part.member && of.have != nil && p.doesTheWork(of.Key, of.part.member) {
			return of.have.Created
		}
	}
	return time.Time{}
}

// Continues is true of a step that goes on with a rollout which was approved of.
func (s Step) Continues() bool { return s.continues }

// Recording is the step with what a machine bears that it makes by an approval.
func (s Step) Recording() Step {
	if s.target == "" || s.view == nil {
		return s
	}
	view := *s.view
	view.Mark.Target = s.target
	s.view = &view
	return s
}
