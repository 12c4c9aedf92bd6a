package decide

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// An approval is stored by the process that received it, or by the forge on which it was given. After a restart, the machines that a rollout has
// created show that it was approved, because their marks contain a checksum of the target state of their group. The rest of the rollout is carried out
// without another approval if a member meets these conditions:
//
//   - It has the mark of the stack with the checksum of the present manifests.
//   - It equals its manifest.
//   - It is younger than every object that still has to change.
//
// The checksum is a SHA-256 of everything that an approval binds, for all members, and of the objects in the cloud that the members refer to. It does
// not cover later drift, or the deletion of members because the group has fewer members now.

// targetOf returns the checksum of the target state of a group, computed from its parts.
func (p *planner) targetOf(group manifest.Key, parts []*kind.Desired) string {
	all := checksum.New("target")
	all.Add(p.Stack, group.Group, group.String())
	for _, d := range parts {
		all.Add(d.Key.Group, d.Key.String())
		all.AddSums(p.boundSum(d, true))
		for _, ref := range d.Refs {
			target := p.ByKey[ref.Key]
			live := p.found.Live[target]
			if within := p.PartOf(target); within != nil && within.Group == group && !target.Unmanaged || live == nil {
				continue
			}
			all.Add(ref.Field, ref.Key.Group, ref.Key.String(), live.ID)
		}
	}
	sum := all.Sum()
	return hex.EncodeToString(sum[:])
}

// partsOf returns the desired parts of the groups, without the parts of spares.
func (w worldReader) partsOf(groups map[manifest.Key][]*plan.Step) map[manifest.Key][]*kind.Desired {
	parts := map[manifest.Key][]*kind.Desired{}
	for i := range w.Want {
		d := &w.Want[i]
		if of := w.PartOf(d); of != nil && groups[of.Group] != nil && !w.ByKey[of.Member].Spare {
			parts[of.Group] = append(parts[of.Group], d)
		}
	}
	return parts
}

// continueRollouts sets the checksum that the marks of new machines will contain. It also sets Continues of the steps that belong to a rollout that
// was approved before.
func (p *planner) continueRollouts() {
	changing, said := map[manifest.Key][]*plan.Step{}, map[manifest.Key]bool{}
	for i := range p.steps {
		s := &p.steps[i]
		if s.Part == nil {
			continue
		}
		if s.Want != nil && s.Action.Writes() && !s.Surplus {
			changing[s.Part.Group] = append(changing[s.Part.Group], s)
		}
		if s.Have != nil && s.Have.Mark != nil && s.Have.Mark.Target != "" {
			said[s.Part.Group] = true
		}
	}
	maps.DeleteFunc(changing, func(group manifest.Key, _ []*plan.Step) bool { return !p.Approving && !said[group] })
	if len(changing) == 0 || p.Healing {
		return
	}
	shown, parts := map[manifest.Key]*plan.Step{}, p.partsOf(changing)
	for group, steps := range changing {
		if !slices.ContainsFunc(steps, func(s *plan.Step) bool { return s.Action == plan.Create || s.Action == plan.Recreate }) {
			continue
		}
		target := p.targetOf(group, parts[group])
		for _, s := range steps {
			if p.DoesTheWork(s.Key, s.Part.Member) {
				s.Target = target
			}
		}
		if witness := p.witness(group, target); witness != nil {
			for _, s := range steps {
				if s.Continues = !s.Drift && s.Have != nil && p.createdAt(s).Before(witness.Have.Created) && !p.createdAt(s).IsZero(); s.Continues {
					shown[group] = witness
				}
			}
			for _, s := range steps { // the machine was deleted and is not created yet
				s.Continues = s.Continues || s.Have == nil && !s.Drift && shown[group] != nil
			}
		}
	}
	for i := range p.workloads {
		if w := &p.workloads[i]; shown[w.Key] != nil {
			w.Notes = append(slices.Clip(w.Notes), kind.Note{Field: "spec.template", Text: fmt.Sprintf("the rollout continues that was approved with %s", shown[w.Key].Key)})
		}
	}
}

// witness returns the youngest machine of a group whose mark contains the approved checksum, or nil if there is none.
func (p *planner) witness(group manifest.Key, target string) (youngest *plan.Step) {
	for i := range p.steps {
		s := &p.steps[i]
		if s.Part == nil || s.Part.Group != group || s.Surplus || s.Have == nil || s.Have.Copied != "" || !p.DoesTheWork(s.Key, s.Part.Member) {
			continue
		}
		owned := s.Have.Mark != nil && s.Have.Mark.Owner == ownertext.Of(p.Stack, s.Key) && s.Have.Mark.Rivals == "" && s.Have.Mark.Target == target
		if owned && (s.Action == plan.Keep || s.Action == plan.Wait) && len(s.Changes) == 0 && (youngest == nil || youngest.Have.Created.Before(s.Have.Created)) {
			youngest = s
		}
	}
	return youngest
}

// createdAt returns when the object was created. If that is unknown, it returns when the machine of the member was created; the zero time if
// neither is known.
func (p *planner) createdAt(s *plan.Step) time.Time {
	if !s.Have.Created.IsZero() {
		return s.Have.Created
	}
	for i := range p.steps {
		if of := &p.steps[i]; of.Part != nil && of.Part.Member == s.Part.Member && of.Have != nil && p.DoesTheWork(of.Key, of.Part.Member) {
			return of.Have.Created
		}
	}
	return time.Time{}
}
