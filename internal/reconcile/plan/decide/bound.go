package decide

import (
	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// bind sets Bound, the checksums that people approve, of each step that writes, or that will write because an object that it refers to gets
// a new ID.
func (p *planner) bind() {
	moved := map[manifest.Key]bool{}
	for i := range p.steps {
		if s := &p.steps[i]; s.Action == plan.Recreate {
			moved[s.Key] = true
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		if s.Want == nil || s.Surplus {
			continue
		}
		for _, ref := range s.Want.Refs {
			s.FollowsReference = s.FollowsReference || moved[ref.Key]
		}
		if s.Action.Writes() || s.FollowsReference {
			s.Bound = &plan.Bound{Sum: p.boundSum(s.Want, true), SumWithoutImports: p.boundSum(s.Want, false)}
		}
	}
}

// boundSum returns the checksum of a manifest. If found is true, it includes the IDs of the imported objects that the manifest refers to.
// It need not include objects that the stack creates, because their own steps are approved, too.
func (p *planner) boundSum(d *kind.Desired, found bool) checksum.Sum {
	all := checksum.New("bound")
	if d.Confidential.Secret != "" {
		all.AddSums(p.Printer.Sum(p.Subject(d, "approved\n"+string(d.Sum[:]))))
	} else {
		all.AddSums(d.Sum)
	}
	for _, ref := range d.Refs {
		target := p.ByKey[ref.Key]
		if live := p.found.Live[target]; found && live != nil && target != nil && target.Unmanaged && target.Import != nil {
			all.Add(ref.Field, ref.Key.Group, ref.Key.String(), live.ID)
		}
	}
	return all.Sum()
}
