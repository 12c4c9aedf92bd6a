package plan

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Probed is a member of a group that can be asked whether it serves.
type Probed struct {
	Member manifest.Key
	Probes []rollout.Probe
	// Address is where it is reached, Of its incarnation, Since when it began to work.
	Address string
	Of      string
	Since   time.Time
}

// Probed are the members that can be asked: what does their work is usable and has an address.
func (p Plan) Probed() (list []Probed) {
	groups := map[manifest.Key][]rollout.Probe{}
	for _, w := range p.Workloads {
		if w.want != nil && len(w.want.Probes) > 0 {
			groups[w.Key] = w.want.Probes
		}
	}
	if len(groups) == 0 {
		return nil
	}
	for _, s := range p.Steps {
		if s.part == nil || !s.works || groups[s.part.group] == nil || !s.have.Phase.Usable() || s.have.Facts.Address == "" {
			continue
		}
		list = append(list, Probed{Member: s.part.member, Probes: groups[s.part.group], Address: s.have.Facts.Address,
			Of: s.have.ID + " " + s.have.Since.String(), Since: s.have.Since})
	}
	return list
}

// tellSick marks the objects that do the work of members: what probes found out of these is shown with
// them, and whom they suspect is looked at again.
func (gs *groups) tellSick() {
	for i := range gs.steps {
		s := &gs.steps[i]
		if s.part == nil || s.have == nil || s.surplus || !gs.doesTheWork(s.Key, s.part.member) {
			continue
		}
		found := gs.Sick[s.part.member]
		s.silent = found.Sure && s.have.Down == ""
		if s.works, s.sick = true, found.Sick; found.Suspect {
			s.settling = &settling{}
		}
	}
}
